// Formula:   h' = h - 4 n(h) + sum of n over the four neighbours + what is poured, n(h) = floor(h / 4): each cell topples as often as it can
// Inputs:    sand (width x height, whole numbers below 2^24), pour (x and y of a middle, the square of a radius, below 0 of half the side of a square, grains a cell)
// Domain and range: the table, one step later
// Edges:     tested: grains that topple over an edge fall off, and none comes back
// Reference: Bak, Tang & Wiesenfeld, Self-organized criticality, 1987; Dhar, Self-organized critical state of sandpile models, 1990
uniform Stream sand;
uniform vec4 pour;
DOMAIN coords;
RANGE float next;

void main() {
    float h = value2(sand, coords).x;
    vec4 around = vec4(
        valueOffset(sand, coords, ivec2(-1, 0)).x,
        valueOffset(sand, coords, ivec2(1, 0)).x,
        valueOffset(sand, coords, ivec2(0, -1)).x,
        valueOffset(sand, coords, ivec2(0, 1)).x);
    vec2 last = sand.extent.xy - 1.0;
    vec4 inside = vec4(bvec4(coords.x > 1.0, coords.x < last.x, coords.y > 1.0, coords.y < last.y));
    vec2 away = coords - pour.xy;
    float far = pour.z < 0.0 ? max(away.x * away.x, away.y * away.y) : dot(away, away);
    float poured = far < abs(pour.z) ? pour.w : 0.0;
    next = h - 4.0 * floor(0.25 * h) + dot(inside, floor(0.25 * around)) + poured;
}
