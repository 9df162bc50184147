// Formula:   result = values where the diagonal lies inside the matrix, elsewhere what was there (OLD), or 0
// Inputs:    values, old (packed 2x2); where the diagonal begins and ends, and the columns from which it leads to another one
// Domain and range: column and row of the first element of each texel, + 1 -> all texels of the diagonal
// Edges:     none
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44, 44.2.3
uniform Stream values;
#if OLD
uniform Stream old;
#endif
uniform vec4 ends;    // column and row of the field where its first row is, and of the one past its last
uniform vec2 columns; // the first column, and the one past the last
DOMAIN texel;
DOMAIN at;
RANGE vec4 result;

// 1 for elements at `end` or after it in the order of the array, else 0.
vec4 reached(vec4 column, vec4 row, vec2 end) {
    vec4 below = vec4(greaterThan(row, vec4(end.y)));
    return below + vec4(equal(row, vec4(end.y))) * vec4(greaterThanEqual(column, vec4(end.x)));
}

void main() {
    vec4 column = floor(at.x + vec4(-0.5, 0.5, -0.5, 0.5)), row = floor(at.y + vec4(-0.5, -0.5, 0.5, 0.5));
    vec4 begun = reached(column, row, ends.xy), past = reached(column, row, ends.zw);
    vec4 across = vec4(greaterThanEqual(column, vec4(columns.x))) * vec4(lessThan(column, vec4(columns.y)));
#if OLD
    vec4 outside = value2(old, texel);
#else
    vec4 outside = vec4(0.0);
#endif
    result = mix(outside, value2(values, texel), greaterThan(begun * across * (1.0 - past), vec4(0.0)));
}
