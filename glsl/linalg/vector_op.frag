// Formula:   result = a x  |  a x + b y  |  a x y  |  a x y + b z, element by element (OPERATION 0 to 3)
// Inputs:    x, y, z (packed 2x2); a is 1, `a_factor`, or a_factor times `a_scalar` (1x1) (A 0, 1, 2); b likewise
// Domain and range: all texels of the vectors, or of matrices that are packed 4x1
// Edges:     beyond the elements of a field (PADDED 1) or the rows of a matrix (2) the result is 0, whatever a and b are
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
#if PADDED
uniform vec3 bounds; // columns, rows and length of the last row of the field; or the rows of the matrix
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

// The 0 beyond the elements, of which a factor that is not finite would make no number.
vec4 padded(vec4 value) {
#if PADDED == 1
    vec2 column = 2.0 * at.x + vec2(-0.5, 0.5), row = 2.0 * at.y + vec2(-0.5, 0.5);
    vec2 ends = mix(vec2(bounds.x), vec2(bounds.z), greaterThan(row, vec2(bounds.y - 1.0)));
    ends = mix(vec2(0.0), ends, lessThan(row, vec2(bounds.y)));
    return mix(vec4(0.0), value, lessThan(column.xyxy, ends.xxyy));
#elif PADDED == 2
    return mix(vec4(0.0), value, lessThan(4.0 * at.y + vec4(-1.5, -0.5, 0.5, 1.5), vec4(bounds.x)));
#else
    return value;
#endif
}

void main() {
#if OPERATION == 0
    result = padded(times_a(value2(x, at)));
#elif OPERATION == 1
    result = padded(times_a(value2(x, at)) + times_b(value2(y, at)));
#elif OPERATION == 2
    result = padded(times_a(value2(x, at)) * value2(y, at));
#else
    result = padded(times_a(value2(x, at)) * value2(y, at) + times_b(value2(z, at)));
#endif
}
