// Formula:   result = a x, where an entry of 0 stays 0 (OPERATION 0); x + a y, where one of y is nothing (1)
// Inputs:    x, y (entries of two matrices, stored alike), a = factor, times a_scalar (1x1) with A 2
// Domain and range: all texels
// Edges:     none
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44, 44.1
uniform Stream x;
#if OPERATION == 1
uniform Stream y;
#endif
#if A == 2
uniform Stream a_scalar;
#endif
uniform float factor;
DOMAIN at;
RANGE vec4 result;

void main() {
#if A == 2
    float a = factor * value0(a_scalar).x;
#else
    float a = factor;
#endif
    vec4 of_x = value2(x, at);
#if OPERATION == 0
    result = mix(a * of_x, vec4(0.0), equal(of_x, vec4(0.0)));
#else
    vec4 of_y = value2(y, at);
    result = of_x + mix(a * of_y, vec4(0.0), equal(of_y, vec4(0.0)));
#endif
}
