// Formula:   length = |(a, b)|
// Inputs:    along a, up b (width x height)
// Domain and range: all nodes -> as many
// Edges:     none
// Reference: house
uniform Stream along, up;
DOMAIN coords;
RANGE float size;

void main() {
    size = length(vec2(value2(along, coords).x, value2(up, coords).x));
}
