// Formula:   START 1: what is known; START 0: u where it is known, else the mean of the neighbours that know it
// Inputs:    u on the faces across AXIS; START 1: cells (0 solid, 1 air, 2 fluid); START 0: known (1, 0 not yet, -1 never: walls); hop
// Domain and range: all faces across AXIS
// Edges:     walls have 0 and hand nothing on
// Reference: Batty, Wiebe & Houston 2003, section 2 (velocity beyond the surface)
uniform Stream velocity;
#if START
uniform Stream cells;
#else
uniform Stream known;
#endif
#if !START || AXIS == 2
uniform vec2 hop;
#endif
DOMAIN at;
RANGE vec4 extended;
RANGE vec4 known_then;

#if START
// The cells on the other side of the faces.
vec4 kindBefore(vec4 kind) {
#if AXIS == 0
    return westOf(cells, addressOf(cells, at), kind);
#elif AXIS == 1
    return northOf(cells, addressOf(cells, at), kind);
#else
    return belowOf(cells, addressOf(cells, at), hop);
#endif
}
#else
vec4 sum(Neighbours of) {
    return ((of.west + of.east) + (of.north + of.south)) + (of.below + of.above);
}

// How many neighbours know their velocity: walls do not count.
vec4 knowing(vec4 own) {
    Neighbours of = neighboursOf(known, addressOf(known, at), own, hop);
    vec4 none = vec4(0.0);
    return sum(Neighbours(max(of.west, none), max(of.east, none), max(of.north, none),
                          max(of.south, none), max(of.below, none), max(of.above, none)));
}
#endif

void main() {
    vec4 own = value2(velocity, at);
#if START
    vec4 kind = value2(cells, at), before = kindBefore(kind);
    vec4 open = step(0.5, min(kind, before));
    known_then = open * step(1.5, max(kind, before)) + open - 1.0;
    extended = max(known_then, 0.0) * own;
#else
    vec4 how = value2(known, at), count = knowing(how);
    vec4 found = step(0.5, count) * (1.0 - abs(how));
    // An unknown value is 0 and adds nothing to the sum.
    extended = own + found * sum(neighboursOf(velocity, addressOf(velocity, at), own, hop)) / max(count, 1.0);
    known_then = how + found;
#endif
}
