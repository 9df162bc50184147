// Formula:   result_c = sum of those of four entries whose row has the channel c, each times the element of x in its column
// Inputs:    x (packed 2x2), from the vertex; with OWN_ENTRIES the entries are in a texture, those of a vertex in one texel
// Domain and range: the texel of the four rows, which no other point of the pass has
// Edges:     entries of 0 take no part
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44, 44.3.3
uniform Stream x;
#if OWN_ENTRIES
uniform Stream own_entries;
#endif
flat in vec4 of_vertex;
flat in vec4 first_columns;
flat in vec4 last_columns;
flat in float channels;
RANGE vec4 result;

vec4 placed(float product, float channel) {
    return mix(vec4(0.0), vec4(product), equal(vec4(channel), vec4(0.0, 1.0, 2.0, 3.0)));
}

void main() {
#if OWN_ENTRIES
    vec4 factors = value(own_entries, of_vertex.x);
#else
    vec4 factors = of_vertex;
#endif
    vec4 elements = vec4(
        valuePacked(x, first_columns.xy), valuePacked(x, first_columns.zw),
        valuePacked(x, last_columns.xy), valuePacked(x, last_columns.zw));
    vec4 products = mix(factors * elements, vec4(0.0), equal(factors, vec4(0.0)));
    vec4 code = floor(channels * vec4(1.0, 0.25, 0.0625, 0.015625));
    vec4 channel = code - 4.0 * floor(0.25 * code);
    result = (placed(products.x, channel.x) + placed(products.y, channel.y))
        + (placed(products.z, channel.z) + placed(products.w, channel.w));
}
