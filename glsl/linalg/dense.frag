// Formula:   part_k = sum over the columns j of part k of column_j x_j; the result is the sum of the parts, and base
// Inputs:    columns (four rows of texels for each texel of x: its columns, packed 2x2), x, base (packed 2x2)
// Domain and range: the texels of the result that this page holds, part below part
// Edges:     none
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44, 44.2.2 and 44.3.2
//
// The page begins with row `origin` of x's texels and has `size` texels of the result. This pass goes through `count`
// texels of x from `first`, `rows` of their rows in each part.
uniform Stream columns, x;
#if BASE != 0
uniform Stream base;
#endif
uniform vec2 size, first, count;
uniform float origin, rows;
DOMAIN at;
DOMAIN of_result;
RANGE vec4 result;

// An entry of 0 takes no part, whatever x holds there.
vec4 term(vec4 column, float factor) {
    return mix(column * factor, vec4(0.0), equal(column, vec4(0.0)));
}

void main() {
    float part = floor(at.y / size.y);
    vec2 place = floor(at - vec2(0.0, part * size.y)); // in the page's part of the result
    float across = (place.y * size.x + place.x + 0.5) * columns.extent.z;
    // A texel of x holds four elements, which four columns are multiplied by: one step of x, four lines down.
    vec2 pitch = x.extent.zw;
    float line = columns.extent.w, begin = first.x, steps = count.x, end = min((part + 1.0) * rows, count.y);
    vec4 sum = vec4(0.0);
    for (float row = part * rows; row < end; row += 1.0) {
        vec2 texel = (first + vec2(0.0, row) + 0.5) * pitch;
        float before = (4.0 * ((first.y + row - origin) * x.extent.x + begin) + 0.5) * line;
        for (float column = 0.0; column < steps; column += 1.0) {
            vec4 factors = textureLod(x.texels, texel + vec2(column * pitch.x, 0.0), 0.0);
            vec2 block = vec2(across, before + column * 4.0 * line);
            sum += term(textureLod(columns.texels, block, 0.0), factors.r);
            sum += term(textureLodOffset(columns.texels, block, 0.0, ivec2(0, 1)), factors.g);
            sum += term(textureLodOffset(columns.texels, block, 0.0, ivec2(0, 2)), factors.b);
            sum += term(textureLodOffset(columns.texels, block, 0.0, ivec2(0, 3)), factors.a);
        }
    }
#if BASE == 1
    sum += value2(base, of_result);
#elif BASE == -1
    sum -= value2(base, of_result);
#endif
    result = sum;
}
