// Formula:   u' = u + r (uE + uW + uN + uS - 4 u) - loss s u^4, s = how many sides of the texel lie at the rim
// Inputs:    plate (R = u), r, loss (not where PLACE is 1)
// Domain and range: PLACE 0: anywhere, by a branch; 1: away from the rim, where s = 0; 2: at the rim
// Edges:     the stream's should be clamp: no heat flows there, it is radiated
// Reference: Harris, Mapping Computational Concepts to GPUs, course slide 35 (static branch resolution); Stefan-Boltzmann law
uniform Stream plate;
uniform float r, loss;
DOMAIN at;
RANGE float next;

float radiated(float u) {
    vec2 last = plate.extent.xy - 1.0;
    float sides = float(at.x < 1.0) + float(at.y < 1.0) + float(at.x > last.x) + float(at.y > last.y);
    return loss * sides * u * u * u * u;
}

void main() {
    float here = value2(plate, at).x;
    float sum = valueOffset(plate, at, ivec2(1, 0)).x;
    sum += valueOffset(plate, at, ivec2(-1, 0)).x;
    sum += valueOffset(plate, at, ivec2(0, 1)).x;
    sum += valueOffset(plate, at, ivec2(0, -1)).x;
    next = here + r * (sum - 4.0 * here);
#if PLACE == 0
    vec2 from_rim = min(at, plate.extent.xy - at);
    if (min(from_rim.x, from_rim.y) < 1.0) next -= radiated(here);
#elif PLACE == 2
    next -= radiated(here);
#endif
}
