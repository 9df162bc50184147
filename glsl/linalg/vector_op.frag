// Formula:   result = a x  |  a x + b y  |  a x y  |  a x y + b z, element by element (OPERATION 0 to 3)
// Inputs:    x, y, z (packed 2x2); a = factors.x, times a_scalar (1x1) in the variant A_SCALAR; b likewise
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
#if A_SCALAR
uniform Stream a_scalar;
#endif
#if B_SCALAR
uniform Stream b_scalar;
#endif
uniform vec2 factors;
DOMAIN at;
RANGE vec4 result;

void main() {
    float a = factors.x, b = factors.y;
#if A_SCALAR
    a *= value0(a_scalar).x;
#endif
#if B_SCALAR
    b *= value0(b_scalar).x;
#endif
#if OPERATION == 0
    result = a * value2(x, at);
#elif OPERATION == 1
    result = a * value2(x, at) + b * value2(y, at);
#elif OPERATION == 2
    result = a * value2(x, at) * value2(y, at);
#else
    result = a * value2(x, at) * value2(y, at) + b * value2(z, at);
#endif
}
