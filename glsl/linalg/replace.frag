// Formula:   result = the new entry where there is one, else the old one; the way home (HOME) copies
// Inputs:    texels (of the matrix, or those that were changed), from the vertex
// Domain and range: the texel of the vertex
// Edges:     none
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44, 44.1
uniform Stream texels;
flat in vec2 source;
flat in vec4 entries;
flat in vec4 replaced;
RANGE vec4 result;

void main() {
    vec4 old = value2(texels, source);
#if HOME
    result = old;
#else
    result = mix(old, entries, greaterThan(replaced, vec4(0.0)));
#endif
}
