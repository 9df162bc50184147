// Formula:   change = x, CONSERVE 1: x - mean, where a field takes part at the node, else r; 0 in components without a field; next = u + change
// Inputs:    u, x, r, takes_part (a node a texel, a field a component; the last is not 0 where it is), mean (1x1), fields (1 for each, else 0)
// Domain and range: all nodes -> these
// Edges:     none
// Reference: house
uniform Stream u, x, r, takes_part;
#if CONSERVE
uniform Stream mean;
#endif
uniform vec4 fields;
DOMAIN node;
RANGE vec4 next;
RANGE vec4 change;

void main() {
    // Chosen and not multiplied: what is not taken may be no number.
    vec4 solved = value2(x, node);
#if CONSERVE
    solved -= value0(mean);
#endif
    vec4 known = mix(solved, value2(r, node), equal(value2(takes_part, node), vec4(0.0)));
    change = mix(vec4(0.0), known, greaterThan(fields, vec4(0.0)));
    next = value2(u, node) + change;
}
