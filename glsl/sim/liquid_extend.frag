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
void main() {
    vec4 kind = value2(cells, at);
#if AXIS == 0
    vec4 before = westOf(cells, addressOf(cells, at), kind);
#elif AXIS == 1
    vec4 before = northOf(cells, addressOf(cells, at), kind);
#else
    vec4 before = belowOf(cells, addressOf(cells, at), hop);
#endif
    vec4 open = step(0.5, min(kind, before));
    known_then = open * step(1.5, max(kind, before)) + open - 1.0;
    extended = max(known_then, 0.0) * value2(velocity, at);
}
#else
vec4 sum(Neighbours of) {
    return ((of.west + of.east) + (of.north + of.south)) + (of.below + of.above);
}

void main() {
    vec4 own = value2(velocity, at), how = value2(known, at);
    Neighbours values = neighboursOf(velocity, addressOf(velocity, at), own, hop);
    Neighbours knowing = neighboursOf(known, addressOf(known, at), how, hop);
    vec4 none = vec4(0.0);
    vec4 count = sum(Neighbours(
        max(knowing.west, none), max(knowing.east, none), max(knowing.north, none),
        max(knowing.south, none), max(knowing.below, none), max(knowing.above, none)));
    // What is not known is 0 and adds nothing to the sum.
    vec4 found = step(0.5, count) * (1.0 - abs(how));
    extended = own + found * sum(values) / max(count, 1.0);
    known_then = how + found;
}
#endif
