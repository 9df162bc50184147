// Formula:   place = (x, y, y, x)
// Inputs:    none
// Domain and range: the whole of the target
// Edges:     none
// Reference: docs/inspector.md, "A plan for a card": what bounds a pass that fetches nothing
DOMAIN at;
RANGE vec4 place;

void main() {
    place = at.xyyx;
}
