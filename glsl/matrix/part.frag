// Formula:   result(i, j) = a(first row + i, first column + j); SHIFT is the first row modulo 4
// Inputs:    a (4x1 columns), rows (of the result)
// Domain and range: as many texels of a, from (first column, block of the first row) on -> all texels of the result
// Edges:     rows past the last of the result are 0
// Reference: Moravanszky, Dense Matrix Algebra on the GPU, 2.1 (the layout); the paper leaves parts out
uniform Stream a;
uniform float rows;
DOMAIN at;
DOMAIN texel;
RANGE vec4 result;

void main() {
    vec4 value = value2(a, at);
#if SHIFT > 0
    vec4 below = value2(a, at + vec2(0.0, 1.0));
#endif
#if SHIFT == 1
    value = vec4(value.yzw, below.x);
#elif SHIFT == 2
    value = vec4(value.zw, below.xy);
#elif SHIFT == 3
    value = vec4(value.w, below.xyz);
#endif
    bvec4 inside = lessThan(4.0 * floor(texel.y) + vec4(0.0, 1.0, 2.0, 3.0), vec4(rows));
    result = mix(vec4(0.0), value, inside);
}
