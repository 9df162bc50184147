// Formula:   hands on four entries of a texel's four rows, the places of their columns, and their rows' channels
// Inputs:    place (texel column, texel row, four channels of two bits each), entries, (column, row) of each of the four
// Domain and range: one vertex for each four non-zeros -> the texel of their rows, in the round that it is drawn in
// Edges:     a texel's last vertex is filled with entries of 0
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44, 44.2.3 and 44.3.3
VERTEX vec3 place;
VERTEX vec4 entries;
VERTEX vec4 first_places;
VERTEX vec4 last_places;
flat out vec4 of_vertex; // the entries, or the number of the vertex where they are in a texture
flat out vec4 first_columns;
flat out vec4 last_columns;
flat out float channels;

void main() {
#if OWN_ENTRIES
    of_vertex = vec4(float(gl_VertexID));
#else
    of_vertex = entries;
#endif
    first_columns = first_places;
    last_columns = last_places;
    channels = place.z;
    scatter(place.xy);
}
