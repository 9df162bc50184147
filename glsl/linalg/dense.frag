// Formula:   result = base + sum over a block of columns j of column_j x_j
// Inputs:    columns (a field of packed column vectors), x, base (packed 2x2)
// Domain and range: all texels of the result
// Edges:     none
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44, 44.2.2 and 44.3.2
//
// The column of x's element (c, r) lies `size` times (c, r) texels from the page's corner, which belongs to x's texel
// `origin`. This pass goes through `count` texels of x from `first`.
uniform Stream columns, x;
#if BASE != 0
uniform Stream base;
#endif
uniform vec2 size, first, count, origin;
DOMAIN at;
RANGE vec4 result;

// An x of 0 still takes part; a column of 0 does not.
vec4 term(vec4 column, float factor) {
    return mix(column * factor, vec4(0.0), equal(column, vec4(0.0)));
}

void main() {
    vec4 sum = vec4(0.0);
    for (float row = 0.5; row < count.y; row += 1.0) {
        for (float column = 0.5; column < count.x; column += 1.0) {
            vec2 place = first + vec2(column, row); // the centre of a texel of x
            vec4 factors = value2(x, place);
            vec2 block = 2.0 * (place - origin - 0.5) * size + at;
            sum += term(value2(columns, block), factors.r);
            sum += term(value2(columns, block + vec2(size.x, 0.0)), factors.g);
            sum += term(value2(columns, block + vec2(0.0, size.y)), factors.b);
            sum += term(value2(columns, block + size), factors.a);
        }
    }
#if BASE == 1
    sum += value2(base, at);
#elif BASE == -1
    sum -= value2(base, at);
#endif
    result = sum;
}
