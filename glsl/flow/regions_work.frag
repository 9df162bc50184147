// Formula:   x -> m x + c, STEPS times in every second square of a chequerboard, once in the others
// Inputs:    values (R = x), line (m, c), squares (1 / side of a square in texels)
// Domain and range: the grid. SIDE 0: both, by a branch; 1: both, by arithmetic; 2: the light side alone, without a choice; 3: the heavy one; 4: a mask that leaves the heavy squares open
// Edges:     none
// Reference: Harris, Mapping Computational Concepts to GPUs, course slides 33 (replace with math), 36 (z-cull), 38 (coherent regions)
uniform Stream values;
uniform vec2 line;
uniform float squares;
DOMAIN at;
RANGE float result;

bool heavy() {
    vec2 square = floor(at * squares);
    return fract(0.5 * (square.x + square.y)) > 0.25;
}

float once(float x) {
    return line.x * x + line.y;
}

float often(float x) {
    for (int i = 0; i < STEPS; i++) x = once(x);
    return x;
}

void main() {
    float x = value2(values, at).x;
#if SIDE == 0
    if (heavy()) {
        result = often(x);
    } else {
        result = once(x);
    }
#elif SIDE == 1
    float share = float(heavy());
    result = share * often(x) + (1.0 - share) * once(x); // exact: one of the shares is 0
#elif SIDE == 2
    result = once(x);
#elif SIDE == 3
    result = often(x);
#else
    if (heavy()) discard;
    result = 1.0;
#endif
}
