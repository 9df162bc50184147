// Formula:   result_i = base_i + a_ii x_i + sum_p(i), for the four rows i of a texel
// Inputs:    sums (in the order of the rows' lengths), addresses (where each row's is), x, diagonal, base (packed 2x2)
// Domain and range: all texels of the result
// Edges:     a row without entries has the address -1, and so has padding
// Reference: Bolz et al., Sparse Matrix Solvers on the GPU, 3.2: rows in the order of their lengths
uniform Stream sums, addresses;
#if PAIRS
uniform Stream address_rows;
#endif
#if DIAGONAL
uniform Stream x, diagonal;
#endif
#if BASE != 0
uniform Stream base;
#endif
DOMAIN at;
RANGE vec4 result;

void main() {
    vec4 column = value2(addresses, at);
    bvec4 none = lessThan(column, vec4(0.0));
#if PAIRS
    vec4 row = value2(address_rows, at);
#else
    vec4 row = floor(column);
    column = 4096.0 * (column - row);
#endif
    vec4 sum = vec4(
        valuePacked(sums, vec2(column.r, row.r)), valuePacked(sums, vec2(column.g, row.g)),
        valuePacked(sums, vec2(column.b, row.b)), valuePacked(sums, vec2(column.a, row.a)));
    sum = mix(sum, vec4(0.0), none);
#if DIAGONAL
    vec4 own = value2(diagonal, at);
    sum += mix(own * value2(x, at), vec4(0.0), equal(own, vec4(0.0)));
#endif
#if BASE == 1
    sum += value2(base, at);
#elif BASE == -1
    sum -= value2(base, at);
#endif
    result = sum;
}
