// Formula:   result_j = base_j + sum over a part of the rows i of column_j(i) x_i, for four columns j at once
// Inputs:    columns (as in dense.frag), x, base (packed 2x2)
// Domain and range: the texels of the result whose columns lie in this page
// Edges:     none
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44, 44.2.2
//
// The page begins with row `origin` of the result's texels, which has `size.x` of them, and with row `size.y` of x's.
// This pass goes through `count` texels of x from `first`.
uniform Stream columns, x;
#if BASE != 0
uniform Stream base;
#endif
uniform vec2 size, first, count;
uniform float origin;
DOMAIN at;
RANGE vec4 result;

float term(vec4 column, vec4 elements) {
    return dot(mix(column * elements, vec4(0.0), equal(column, vec4(0.0))), vec4(1.0));
}

void main() {
    vec2 place = floor(at);
    float down = (4.0 * ((place.y - origin) * size.x + place.x) + 0.5) * columns.extent.w;
    vec2 pitch = x.extent.zw;
    float pace = columns.extent.z, begin = first.x, steps = count.x, rows = count.y;
    vec4 sum = vec4(0.0);
    for (float row = 0.0; row < rows; row += 1.0) {
        vec2 texel = (first + vec2(0.0, row) + 0.5) * pitch;
        float before = ((first.y + row - size.y) * x.extent.x + begin + 0.5) * pace;
        for (float column = 0.0; column < steps; column += 1.0) {
            vec4 elements = textureLod(x.texels, texel + vec2(column * pitch.x, 0.0), 0.0);
            vec2 block = vec2(before + column * pace, down);
            sum.r += term(textureLod(columns.texels, block, 0.0), elements);
            sum.g += term(textureLodOffset(columns.texels, block, 0.0, ivec2(0, 1)), elements);
            sum.b += term(textureLodOffset(columns.texels, block, 0.0, ivec2(0, 2)), elements);
            sum.a += term(textureLodOffset(columns.texels, block, 0.0, ivec2(0, 3)), elements);
        }
    }
#if BASE == 1
    sum += value2(base, at);
#elif BASE == -1
    sum -= value2(base, at);
#endif
    result = sum;
}
