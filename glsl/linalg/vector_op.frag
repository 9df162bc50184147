// Formula:   result = a x  |  a x + b y  |  a x y  |  a x y + b z, element by element (OPERATION 0 to 3)
// Inputs:    x, y, z (packed 2x2); a is 1, `a_factor`, or a_factor times `a_scalar` (1x1) (A 0, 1, 2); b likewise
// Domain and range: all texels of the vectors
// Edges:     none
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44, 44.3.1
uniform Stream x;
#if OPERATION > 0
uniform Stream y;
#endif
#if OPERATION == 3
uniform Stream z;
#endif
#if A == 2
uniform Stream a_scalar;
#endif
#if B == 2
uniform Stream b_scalar;
#endif
#if A != 0
uniform float a_factor;
#endif
#if B != 0
uniform float b_factor;
#endif
DOMAIN at;
RANGE vec4 result;

// On llvmpipe a product with a constant is a tenth of a pass: a factor of 1 is left out.
vec4 times_a(vec4 value) {
#if A == 0
    return value;
#elif A == 1
    return a_factor * value;
#else
    return a_factor * value0(a_scalar).x * value;
#endif
}

vec4 times_b(vec4 value) {
#if B == 0
    return value;
#elif B == 1
    return b_factor * value;
#else
    return b_factor * value0(b_scalar).x * value;
#endif
}

void main() {
#if OPERATION == 0
    result = times_a(value2(x, at));
#elif OPERATION == 1
    result = times_a(value2(x, at)) + times_b(value2(y, at));
#elif OPERATION == 2
    result = times_a(value2(x, at)) * value2(y, at);
#else
    result = times_a(value2(x, at)) * value2(y, at) + times_b(value2(z, at));
#endif
}
