// Formula:   coarse(i, j) = sum of fine(2 i + k, 2 j + l) weight(k) weight(l), k < TAPS_X, l < TAPS_Y
// Inputs:    fine (width x height), least = 1 / each side
// Domain and range: the second of the texels that make one -> max(1, floor(side / 2)) texels each way
// Edges:     a side of one texel stays as it is: clamp
// Reference: Harris, Mapping Computational Concepts to GPUs, 31.3.5; Burt & Adelson, The Laplacian Pyramid, 1983
//
// Two texels of an even side weigh 1/2 each, three of an odd side 2 n + 1 weigh (n - i, n, i + 1) / (2 n + 1): then every fine
// texel takes an equal part in the whole, and the mean stays.
uniform Stream fine;
uniform vec2 least;
DOMAIN second, at;
RANGE vec4 coarse;

vec4 of_two(vec4 a, vec4 b) {
    return 0.5 * a + 0.5 * b;
}

vec4 of_three(vec4 a, vec4 b, vec4 c, float index, float least) {
    float middle = 0.5 - 0.5 * least;
    return (middle - index * least) * a + middle * b + (index + 1.0) * least * c;
}

#define FINE(x, y) valueOffset(fine, second, ivec2(x, y))
#if TAPS_X == 3
#define ROW(y) of_three(FINE(-1, y), FINE(0, y), FINE(1, y), floor(at.x), least.x)
#else
#define ROW(y) of_two(FINE(-1, y), FINE(0, y))
#endif

void main() {
#if TAPS_Y == 3
    coarse = of_three(ROW(-1), ROW(0), ROW(1), floor(at.y), least.y);
#else
    coarse = of_two(ROW(-1), ROW(0));
#endif
}
