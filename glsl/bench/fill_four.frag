// Formula:   each of four targets is the place: (x, y, y, x)
// Inputs:    none
// Domain and range: the whole of four targets
// Edges:     none
// Reference: docs/inspector.md, "A plan for a card": what bounds a pass that fetches nothing
DOMAIN at;
RANGE vec4 first;
RANGE vec4 second;
RANGE vec4 third;
RANGE vec4 fourth;

void main() {
    first = at.xyyx;
    second = at.xyyx;
    third = at.xyyx;
    fourth = at.xyyx;
}
