// Formula:   sum of four entries of a row, each times the element of x in its column
// Inputs:    x (packed 2x2); place (texel column, texel row, channel), entries, (column, row) in x's field of each of the four
// Domain and range: one vertex for each four non-zeros -> the texel of their row
// Edges:     a row's last vertex is filled with entries of 0, and those take no part
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44, 44.2.3 and 44.3.3
//
// With OWN_ENTRIES they have been changed, and are in a texture: those of a vertex in one texel.
uniform Stream x;
#if OWN_ENTRIES
uniform Stream own_entries;
#endif
VERTEX vec3 place;
VERTEX vec4 entries;
VERTEX vec4 first_places;
VERTEX vec4 last_places;
flat out vec4 sum_of_four;

void main() {
#if OWN_ENTRIES
    vec4 factors = value(own_entries, float(gl_VertexID));
#else
    vec4 factors = entries;
#endif
    vec4 elements = vec4(
        valuePacked(x, first_places.xy), valuePacked(x, first_places.zw),
        valuePacked(x, last_places.xy), valuePacked(x, last_places.zw));
    vec4 products = mix(factors * elements, vec4(0.0), equal(factors, vec4(0.0)));
    float sum = (products.x + products.y) + (products.z + products.w);
    sum_of_four = mix(vec4(0.0), vec4(sum), equal(vec4(place.z), vec4(0.0, 1.0, 2.0, 3.0)));
    scatter(place.xy + 0.5);
}
