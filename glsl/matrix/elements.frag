// Formula:   max(x, c) | min(x, c) | x + c | |x| | x / y | x + (y + z) w | 1 on the diagonal | x (OPERATION 0 to 7)
// Inputs:    x, y, z, w (4x1 columns), c, rows (those that hold elements)
// Domain and range: all texels of the matrix: (column, block of rows)
// Edges:     rows past the last are 0, or c for OPERATION 7; max and min with NaN on either side are NaN
// Reference: Moravanszky, Dense Matrix Algebra on the GPU, 3.1, 3.2 and 3.5
#if OPERATION != 6
uniform Stream x;
#endif
#if OPERATION == 4 || OPERATION == 5
uniform Stream y;
#endif
#if OPERATION == 5
uniform Stream z, w;
#endif
#if OPERATION < 3 || (OPERATION == 7 && PADDED)
uniform float c;
#endif
#if PADDED
uniform float rows;
#endif
DOMAIN at;
DOMAIN texel;
RANGE vec4 result;

void main() {
#if OPERATION == 0
    vec4 found = value2(x, at), value = mix(mix(max(found, c), found, isnan(found)), vec4(c), isnan(vec4(c)));
#elif OPERATION == 1
    vec4 found = value2(x, at), value = mix(mix(min(found, c), found, isnan(found)), vec4(c), isnan(vec4(c)));
#elif OPERATION == 2
    vec4 value = value2(x, at) + c;
#elif OPERATION == 3
    vec4 value = abs(value2(x, at));
#elif OPERATION == 4
    vec4 value = value2(x, at) / value2(y, at);
#elif OPERATION == 5
    vec4 value = value2(x, at) + (value2(y, at) + value2(z, at)) * value2(w, at);
#elif OPERATION == 6
    vec4 below = 4.0 * floor(texel.y) + vec4(0.0, 1.0, 2.0, 3.0) - floor(texel.x);
    vec4 value = mix(vec4(0.0), vec4(1.0), equal(below, vec4(0.0)));
#else
    vec4 value = value2(x, at);
#endif
#if PADDED
#if OPERATION == 7
    vec4 outside = vec4(c);
#else
    vec4 outside = vec4(0.0);
#endif
    bvec4 inside = lessThan(4.0 * floor(texel.y) + vec4(0.0, 1.0, 2.0, 3.0), vec4(rows));
    value = mix(outside, value, inside);
#endif
    result = value;
}
