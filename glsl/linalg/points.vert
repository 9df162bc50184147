// Formula:   the point of four non-zeros of a row goes to the row's place in the result
// Inputs:    place (texel column, texel row, channel), entries, and (column, row) in the field of x of each of the four
// Domain and range: one vertex for each four non-zeros -> the texel of its row
// Edges:     a row's last vertex is filled with entries of 0
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44, 44.2.3 and 44.3.3
VERTEX vec3 place;
VERTEX vec4 entries;
VERTEX vec4 first_places;
VERTEX vec4 last_places;
flat out vec4 row_entries;
flat out vec4 row_first, row_last;
flat out float row_channel;

void main() {
    row_entries = entries;
    row_first = first_places;
    row_last = last_places;
    row_channel = place.z;
    scatter(place.xy);
}
