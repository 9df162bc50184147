// Formula:   result_i = base_i + a_ii x_i + sum over the slots s of entry(i, s) x(address(i, s)), for four rows i at once
// Inputs:    entries, addresses (slot by slot: a texel holds the slot's of four rows), x, base (packed 2x2)
// Domain and range: the slots' first plane, part below part -> texels of four rows
// Edges:     a slot that a row does not fill holds 0 and takes no part
// Reference: Bolz et al., Sparse Matrix Solvers on the GPU, 3.1.1
//
// An address is the place of an element in the field of x: row + column / 4096, or, where that is more than 24 bits, column
// and row apart (PAIRS). The elements are fetched out of the packed x, or of a copy with one of them a texel (CHANNEL).
// DOUBLE: everything is in double-single, two numbers a texel; four rows are the high and the low parts of two, and an
// address is that of a high part in the field of all parts, whose rows go by twos.
uniform Stream entries, addresses;
#if PAIRS
uniform Stream address_rows;
#endif
#if CHANNEL
uniform Stream elements;
#endif
#if DIAGONAL || CHANNEL == 0
uniform Stream x;
#endif
#if DIAGONAL
uniform Stream diagonal;
#endif
#if BASE != 0
uniform Stream base;
#endif
#if SLOTS != 1
uniform float height; // texel rows of a slot's plane: the next slot's lies below
#endif
#if SLOTS == 0
uniform vec3 count;   // texel row where the planes begin, slots of each part, slots of all
#endif
DOMAIN plane;
DOMAIN at;
RANGE vec4 result;

float element(float column, float row) {
#if CHANNEL
    return value2(elements, vec2(column, row) + 0.5).x;
#else
    return valuePacked(x, vec2(column, row));
#endif
}

// The terms of four factors; of two where everything is in double-single.
vec4 times(vec4 four, vec4 factors) {
#if DOUBLE
    return mix(doubleProduct(four, factors), vec4(0.0), equal(four.xyxy, vec4(0.0)));
#else
    return mix(four * factors, vec4(0.0), equal(four, vec4(0.0)));
#endif
}

vec4 plus(vec4 sum, vec4 more) {
#if DOUBLE
    return doubleSum(sum, more);
#else
    return sum + more;
#endif
}

// Four rows' terms of a slot. An entry of 0 takes no part, whatever x holds there.
vec4 term(vec2 slot) {
    vec4 column = textureLod(addresses.texels, slot, 0.0);
#if PAIRS
    vec4 row = textureLod(address_rows.texels, slot, 0.0);
#else
    vec4 row = floor(column);
    column = 4096.0 * (column - row);
#endif
#if DOUBLE
    vec4 factors = vec4(valueDouble(x, vec2(column.r, 0.5 * row.r)), valueDouble(x, vec2(column.g, 0.5 * row.g))).xzyw;
#else
    vec4 factors = vec4(
        element(column.r, row.r), element(column.g, row.g),
        element(column.b, row.b), element(column.a, row.a));
#endif
    return times(textureLod(entries.texels, slot, 0.0), factors);
}

void main() {
    vec2 slot = addressOf(entries, plane);
    vec4 sum = vec4(0.0);
#if DIAGONAL
    sum = times(value2(diagonal, at), value2(x, at));
#endif
#if SLOTS == 1
    sum = plus(sum, term(slot));
#else
    vec2 next = vec2(0.0, height * entries.extent.w);
#if SLOTS == 0
    float part = floor((plane.y - count.x) / height);
    slot += part * (count.y - 1.0) * next; // a part's own planes are above those of the next
    float slots = min(count.y, count.z - part * count.y);
    for (float s = 0.0; s < slots; s += 1.0) {
        sum = plus(sum, term(slot + s * next));
    }
#else
    for (int s = 0; s < SLOTS; ++s) {
        sum = plus(sum, term(slot + float(s) * next));
    }
#endif
#endif
#if BASE == 1
    sum = plus(sum, value2(base, at));
#elif BASE == -1
    sum = plus(sum, -value2(base, at));
#endif
    result = sum;
}
