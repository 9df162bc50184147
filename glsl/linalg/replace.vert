// Formula:   sends a vertex to its texel among those that are changed, or to that texel's home
// Inputs:    home (the texel's place in the matrix), slot (its place among the changed), four values, 1 for each that counts
// Domain and range: one vertex for each texel with a new entry -> its slot, or its home (HOME)
// Edges:     none
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44, 44.1
VERTEX vec2 home;
VERTEX vec2 slot;
VERTEX vec4 values;
VERTEX vec4 counts;
flat out vec2 source;
flat out vec4 entries;
flat out vec4 replaced;

void main() {
    entries = values;
    replaced = counts;
#if HOME
    source = slot + 0.5;
    scatter(home);
#else
    source = home + 0.5;
    scatter(slot);
#endif
}
