// Formula:   result = base + sum over the elements x_j of a part of x of column_j x_j; TRANSPOSED: result_j = base_j + column_j . x
// Inputs:    columns (four columns of texels for each texel of one vector, a row for each texel of the other), x, base (packed 2x2)
// Domain and range: the texels of the result that this page holds; SPLIT: those of its parts, side by side for each texel of the result
// Edges:     none
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44, 44.2.2 and 44.3.2
//
// The page begins with row `origin` of x's texels. This pass goes through `count` texels of x from `first`: part (i, j) of
// parts.x * parts.y through every parts.x-th column of them from i and every parts.y-th row from j, so that neighbours read neighbours.
uniform Stream columns, x;
#if BASE != 0
uniform Stream base;
#endif
uniform vec2 first, count;
uniform float origin;
#if SPLIT
uniform vec2 parts;
#else
uniform float width; // texels in a row of the result
#endif
DOMAIN at;
DOMAIN of_result;
RANGE vec4 result;

// An entry of 0 takes no part, whatever x holds there.
vec4 product(vec4 column, vec4 elements) {
    return mix(column * elements, vec4(0.0), equal(column, vec4(0.0)));
}

vec4 sum(float own, vec2 part, vec2 pace) {
    vec4 total = vec4(0.0);
    for (float column = part.x; column < count.x; column += pace.x) {
        vec2 texel = (first + vec2(column, 0.0) + 0.5) * x.extent.zw;
        float begin = (first.y - origin) * x.extent.x + first.x + column;
#if TRANSPOSED
        vec2 start = vec2(4.0 * own, begin), hop = vec2(0.0, x.extent.x * columns.extent.w);
#else
        vec2 start = vec2(4.0 * begin, own), hop = vec2(4.0 * x.extent.x * columns.extent.z, 0.0);
#endif
        start = (start + 0.5) * columns.extent.zw;
        for (float row = part.y; row < count.y; row += pace.y) {
            vec4 elements = textureLod(x.texels, vec2(texel.x, texel.y + row * x.extent.w), 0.0);
            vec2 block = start + row * hop;
            vec4 a = textureLod(columns.texels, block, 0.0);
            vec4 b = textureLodOffset(columns.texels, block, 0.0, ivec2(1, 0));
            vec4 c = textureLodOffset(columns.texels, block, 0.0, ivec2(2, 0));
            vec4 d = textureLodOffset(columns.texels, block, 0.0, ivec2(3, 0));
#if TRANSPOSED
            a = product(a, elements);
            b = product(b, elements);
            c = product(c, elements);
            d = product(d, elements);
            total += (vec4(a.r, b.r, c.r, d.r) + vec4(a.g, b.g, c.g, d.g)) + (vec4(a.b, b.b, c.b, d.b) + vec4(a.a, b.a, c.a, d.a));
#else
            total += product(a, elements.rrrr);
            total += product(b, elements.gggg);
            total += product(c, elements.bbbb);
            total += product(d, elements.aaaa);
#endif
        }
    }
    return total;
}

void main() {
#if SPLIT
#if TRANSPOSED
    float own = floor(at.x), part = floor(at.y);
#else
    float own = floor(at.y), part = floor(at.x);
#endif
    float group = floor((part + 0.5) / parts.x);
    vec2 begin = vec2(part - group * parts.x, group), pace = parts;
#else
    float own = floor(at.y) * width + floor(at.x);
    vec2 begin = vec2(0.0), pace = vec2(1.0);
#endif
    vec4 total = sum(own, begin, pace);
#if BASE == 1
    total += value2(base, of_result);
#elif BASE == -1
    total -= value2(base, of_result);
#endif
    result = total;
}
