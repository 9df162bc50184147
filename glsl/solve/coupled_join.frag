// Formula:   next = u + change, change = c_k in the channels of own_k, else c_0: each field's from the group that solves for it
// Inputs:    u, c_k (a node a texel, a field a channel), own_k (1 for the fields of group k, else 0)
// Domain and range: all nodes -> these
// Edges:     none
// Reference: house
uniform Stream u;
uniform Stream c0;
uniform Stream c1;
#if COUNT > 2
uniform Stream c2;
#endif
#if COUNT > 3
uniform Stream c3;
#endif
uniform vec4 own1;
#if COUNT > 2
uniform vec4 own2;
#endif
#if COUNT > 3
uniform vec4 own3;
#endif
DOMAIN node;
RANGE vec4 next;
RANGE vec4 change;

void main() {
    // Chosen and not multiplied: what a group has in the channels of others may be no number.
    change = mix(value2(c0, node), value2(c1, node), notEqual(own1, vec4(0.0)));
#if COUNT > 2
    change = mix(change, value2(c2, node), notEqual(own2, vec4(0.0)));
#endif
#if COUNT > 3
    change = mix(change, value2(c3, node), notEqual(own3, vec4(0.0)));
#endif
    next = value2(u, node) + change;
}
