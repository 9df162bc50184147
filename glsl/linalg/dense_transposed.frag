// Formula:   result_j = base_j + sum over a part of the rows i of column_j(i) x_i, for four columns j at once
// Inputs:    columns (as in dense.frag), x, base (packed 2x2)
// Domain and range: the texels of the result whose columns lie in this page
// Edges:     none
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44, 44.2.2
//
// The page's corner belongs to the result's texel `origin`. This pass goes through `count` texels of x from `first`.
uniform Stream columns, x;
#if BASE != 0
uniform Stream base;
#endif
uniform vec2 size, first, count, origin;
DOMAIN at;
RANGE vec4 result;

float term(vec4 column, vec4 elements) {
    return dot(mix(column * elements, vec4(0.0), equal(column, vec4(0.0))), vec4(1.0));
}

void main() {
    vec4 sum = vec4(0.0);
    vec2 corner = 2.0 * (floor(at) - origin) * size;
    for (float row = 0.5; row < count.y; row += 1.0) {
        for (float column = 0.5; column < count.x; column += 1.0) {
            vec2 place = first + vec2(column, row);
            vec4 elements = value2(x, place);
            vec2 block = corner + place;
            sum.r += term(value2(columns, block), elements);
            sum.g += term(value2(columns, block + vec2(size.x, 0.0)), elements);
            sum.b += term(value2(columns, block + vec2(0.0, size.y)), elements);
            sum.a += term(value2(columns, block + size), elements);
        }
    }
#if BASE == 1
    sum += value2(base, at);
#elif BASE == -1
    sum -= value2(base, at);
#endif
    result = sum;
}
