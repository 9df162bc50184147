// Formula:   length = |(a, b)| inside, 0 outside
// Inputs:    along a, up b (width x height), inside (mask, or 1x1)
// Domain and range: all nodes -> as many
// Edges:     none
// Reference: house
uniform Stream along, up, inside;
DOMAIN coords;
RANGE float size;

void main() {
    float there = length(vec2(value2(along, coords).x, value2(up, coords).x));
    size = value2(inside, coords).x < 0.5 ? 0.0 : there;
}
