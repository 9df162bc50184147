// Formula:   result(i, j) = a(j, i)
// Inputs:    a (4x1 columns), rows (of the result)
// Domain and range: all texels of the result: (column, block of rows)
// Edges:     rows past the last of the result are 0
// Reference: Moravanszky, Dense Matrix Algebra on the GPU, 2.1 (the layout); the paper leaves the transpose out
uniform Stream a;
uniform float rows;
DOMAIN at;
RANGE vec4 result;

void main() {
    // The same row of four columns of a, which is one of a texel's four.
    vec2 texel = floor(at);
    float block = floor(texel.x * 0.25), row = texel.x - 4.0 * block;
    vec2 corner = vec2(4.0 * texel.y + 0.5, block + 0.5) * a.extent.zw;
    vec4 a0 = textureLod(a.texels, corner, 0.0);
    vec4 a1 = textureLodOffset(a.texels, corner, 0.0, ivec2(1, 0));
    vec4 a2 = textureLodOffset(a.texels, corner, 0.0, ivec2(2, 0));
    vec4 a3 = textureLodOffset(a.texels, corner, 0.0, ivec2(3, 0));
    vec4 upper = row < 0.5 ? vec4(a0.x, a1.x, a2.x, a3.x) : vec4(a0.y, a1.y, a2.y, a3.y);
    vec4 lower = row < 2.5 ? vec4(a0.z, a1.z, a2.z, a3.z) : vec4(a0.w, a1.w, a2.w, a3.w);
    bvec4 inside = lessThan(4.0 * texel.y + vec4(0.0, 1.0, 2.0, 3.0), vec4(rows));
    result = mix(vec4(0.0), row < 1.5 ? upper : lower, inside);
}
