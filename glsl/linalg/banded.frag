// Formula:   result = base + sum over the diagonals d of c_d x(i + d)  |  x + h (x - before) + g (base - sum) (BASE 2, 3)
// Inputs:    x, base, before (packed 2x2; DOUBLE: x, base double-single, two a texel; no `before`, or h = 0, in BASE 2), h and g, and a coefficient for each diagonal: a vector, or a constant on a grid
// Domain and range: all texels of the vectors
// Edges:     a diagonal holds 0 where it leaves the matrix; what is read there does not count
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44, 44.3.2: the shift of x is one of its address
uniform Stream x;
#if BASE != 0
uniform Stream base;
#endif
#if BASE == 3
uniform Stream before;
#endif
#if BASE >= 2
uniform vec2 factors; // h and g
#endif
uniform vec3 field; // columns, rows and length of the last row of the field that is packed 2x2
DECLARE_COEFFICIENTS
DOMAIN at;
RANGE vec4 result;

// A sum that is added as it stands here, and not term by term: no compiler knows that the sign of a size is 0.
vec4 apart(vec4 sum) {
    return uintBitsToFloat(floatBitsToUint(sum) ^ (floatBitsToUint(field.x) >> 31u));
}

// A coefficient of 0 takes no part, whatever x holds there.
vec4 term(vec4 c, vec4 elements) {
#if DOUBLE
    return mix(doubleProduct(c, elements), vec4(0.0), equal(c.xyxy, vec4(0.0)));
#else
    return c * mix(elements, vec4(0.0), equal(c, vec4(0.0)));
#endif
}

#if FAR
// The place `hop` (columns, rows) further in the folded array, whose end is followed by its beginning.
vec2 beyond(vec2 place, vec2 hop) {
    place += hop;
    place += place.x >= field.x ? vec2(-field.x, 1.0) : vec2(0.0);
    bool past = place.y >= field.y || (place.y == field.y - 1.0 && place.x >= field.z);
    place -= past ? vec2(field.z, field.y - 1.0) : vec2(0.0);
    place += place.x < 0.0 ? vec2(field.x, -1.0) : vec2(0.0);
    return place;
}

vec4 shifted(vec2 hop) {
#if DOUBLE
    vec2 first = vec2(2.0, 1.0) * floor(at);
    vec2 left = valueDouble(x, beyond(first, hop)), right = valueDouble(x, beyond(first + vec2(1.0, 0.0), hop));
    return vec4(left, right).xzyw;
#else
    vec2 first = 2.0 * floor(at);
    return vec4(
        valuePacked(x, beyond(first, hop)), valuePacked(x, beyond(first + vec2(1.0, 0.0), hop)),
        valuePacked(x, beyond(first + vec2(0.0, 1.0), hop)), valuePacked(x, beyond(first + vec2(1.0, 1.0), hop)));
#endif
}
#endif

void main() {
    vec2 here = addressOf(x, at);
#if MASKED
    vec4 column = 2.0 * at.x + vec4(-0.5, 0.5, -0.5, 0.5), row = 2.0 * at.y + vec4(-0.5, -0.5, 0.5, 0.5);
#endif
    FETCH_NEIGHBOURS
    vec4 sum = SUM_OF_TERMS;
#if MASKED == 2 // there is padding, and it stays 0
    sum = mix(vec4(0.0), sum, lessThan(column, vec4(field.x)));
    sum = mix(vec4(0.0), sum, lessThan(row, vec4(field.y)));
#endif
#if BASE != 0 && DOUBLE
    sum = doubleSum(sum, float(BASE) * textureLod(base.texels, here, 0.0));
#elif BASE == 1
    sum += textureLod(base.texels, here, 0.0);
#elif BASE == -1
    sum -= textureLod(base.texels, here, 0.0);
#elif BASE >= 2
    vec4 own = CENTRE;
    sum = own + factors.y * (textureLod(base.texels, here, 0.0) - sum);
#if BASE == 3
    sum += factors.x * (own - textureLod(before.texels, here, 0.0));
#endif
#endif
    result = sum;
}
