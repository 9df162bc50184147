// Formula:   result += the sum of four entries of a row, each times the element of x in its column
// Inputs:    x (packed 2x2); from the vertex: entries, the columns' places in x's field, the row's channel
// Domain and range: the texel of the row; blending adds the points of a row
// Edges:     an entry of 0 takes no part
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44, 44.3.3
uniform Stream x;
flat in vec4 row_entries;
flat in vec4 row_first, row_last;
flat in float row_channel;
RANGE vec4 result;

void main() {
    vec4 elements = vec4(
        valuePacked(x, row_first.xy), valuePacked(x, row_first.zw),
        valuePacked(x, row_last.xy), valuePacked(x, row_last.zw));
    vec4 products = mix(row_entries * elements, vec4(0.0), equal(row_entries, vec4(0.0)));
    float sum = (products.x + products.y) + (products.z + products.w);
    result = mix(vec4(0.0), vec4(sum), equal(vec4(row_channel), vec4(0.0, 1.0, 2.0, 3.0)));
}
