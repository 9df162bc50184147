// Formula:   part_k = sum over the columns j of part k of column_j x_j; the result is the sum of the parts, and base
// Inputs:    columns (a field of packed column vectors), x, base (packed 2x2)
// Domain and range: all texels of the result, part below part
// Edges:     none
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44, 44.2.2 and 44.3.2
//
// The column of x's element (c, r) lies `size` times (c, r) texels from the page's corner, which belongs to x's texel
// `origin`. This pass goes through `count` texels of x from `first`, `rows` of their rows in each part.
uniform Stream columns, x;
#if BASE != 0
uniform Stream base;
#endif
uniform vec2 size, first, count, origin;
uniform float rows;
DOMAIN at;
RANGE vec4 result;

// An entry of 0 takes no part, whatever x holds there.
vec4 term(vec4 column, float factor) {
    return mix(column * factor, vec4(0.0), equal(column, vec4(0.0)));
}

void main() {
    float part = floor(at.y / size.y);
    vec2 inside = at - vec2(0.0, part * size.y);
    vec2 right = vec2(size.x, 0.0) * columns.extent.zw, down = vec2(0.0, size.y) * columns.extent.zw;
    float end = min((part + 1.0) * rows, count.y);
    vec4 sum = vec4(0.0);
    for (float row = part * rows; row < end; row += 1.0) {
        for (float column = 0.0; column < count.x; column += 1.0) {
            vec2 place = first + vec2(column, row); // a texel of x, and the four columns that it multiplies
            vec4 factors = textureLod(x.texels, (place + 0.5) * x.extent.zw, 0.0);
            vec2 block = (2.0 * (place - origin) * size + inside) * columns.extent.zw;
            sum += term(textureLod(columns.texels, block, 0.0), factors.r);
            sum += term(textureLod(columns.texels, block + right, 0.0), factors.g);
            sum += term(textureLod(columns.texels, block + down, 0.0), factors.b);
            sum += term(textureLod(columns.texels, block + right + down, 0.0), factors.a);
        }
    }
#if BASE == 1
    sum += value2(base, at);
#elif BASE == -1
    sum -= value2(base, at);
#endif
    result = sum;
}
