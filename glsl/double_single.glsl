// Words of double-single arithmetic: a number is the sum of two floats, high + low, |low| at most half a unit in the last place
// of high. A texel holds two numbers: (first high, second high, first low, second low). How and why: src/linalg/double/mod.rs.
uniform float double_zero; // 0, which the compiler does not know

// The same bits. The compiler cannot tell, so it folds and fuses nothing across: not (a + b) - a to b, not a b - p to one operation.
vec2 asStored(vec2 x) {
    return uintBitsToFloat(floatBitsToUint(x) ^ floatBitsToUint(vec2(double_zero)));
}

// a + b as a float and its rounding error, exactly (Knuth).
vec4 twoSum(vec2 a, vec2 b) {
    vec2 sum = asStored(a + b);
    vec2 part_of_b = asStored(sum - a);
    vec2 part_of_a = asStored(sum - part_of_b);
    return vec4(sum, (a - part_of_a) + (b - part_of_b));
}

// The same where |a| is at least |b| (Dekker).
vec4 twoSumOrdered(vec2 a, vec2 b) {
    vec2 sum = asStored(a + b);
    return vec4(sum, b - asStored(sum - a));
}

// The upper 12 bits of the 24: products of halves are exact.
vec2 upperHalf(vec2 a) {
    return uintBitsToFloat(floatBitsToUint(a) & uvec2(0xFFFFF000u));
}

// a b as a float and its rounding error, exactly (Dekker). The products of halves may be fused with what they are added to.
vec4 twoProduct(vec2 a, vec2 b) {
    vec2 product = asStored(a * b);
    vec2 a1 = upperHalf(a), b1 = upperHalf(b);
    vec2 a2 = a - a1, b2 = b - b1;
    return vec4(product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2);
}

// x + y, error at most 2^-45 |x + y|. The difference is doubleSum(x, -y).
vec4 doubleSum(vec4 x, vec4 y) {
    vec4 high = twoSum(x.xy, y.xy), low = twoSum(x.zw, y.zw);
    high = twoSumOrdered(high.xy, high.zw + low.xy);
    return twoSumOrdered(high.xy, high.zw + low.zw);
}

// x y, error at most 2^-44 |x y|.
vec4 doubleProduct(vec4 x, vec4 y) {
    vec4 product = twoProduct(x.xy, y.xy);
    return twoSumOrdered(product.xy, product.zw + (x.xy * y.zw + x.zw * y.xy));
}

// x / y by long division, three digits of 22 bits or more: error at most 2^-43 |x / y|, whatever the driver's own division rounds.
vec4 doubleQuotient(vec4 x, vec4 y) {
    vec2 first = asStored(x.xy / y.xy);
    x = doubleSum(x, -doubleProduct(y, vec4(first, 0.0, 0.0)));
    vec2 second = asStored(x.xy / y.xy);
    x = doubleSum(x, -doubleProduct(y, vec4(second, 0.0, 0.0)));
    return doubleSum(twoSumOrdered(first, second), vec4(x.xy / y.xy, 0.0, 0.0));
}

// Number (column, row) of a field whose texels are two numbers of a row: high, low.
vec2 valueDouble(Stream stream, vec2 place) {
    float texel = floor(place.x * 0.5);
    vec4 two = value2(stream, vec2(texel, place.y) + 0.5);
    return place.x - 2.0 * texel > 0.5 ? two.ga : two.rb;
}
