// Formula:   change = x where a field takes part at the node, else r; 0 in components without a field; next = u + change
// Inputs:    u, x, r, takes_part (a node a texel, a field a component; the last is not 0 where it is), fields (1 for each, else 0)
// Domain and range: all nodes -> these
// Edges:     none
// Reference: house
uniform Stream u, x, r, takes_part;
uniform vec4 fields;
DOMAIN node;
RANGE vec4 next;
RANGE vec4 change;

void main() {
    // Chosen and not multiplied: what is not taken may be no number.
    vec4 known = mix(value2(x, node), value2(r, node), equal(value2(takes_part, node), vec4(0.0)));
    change = mix(vec4(0.0), known, greaterThan(fields, vec4(0.0)));
    next = value2(u, node) + change;
}
