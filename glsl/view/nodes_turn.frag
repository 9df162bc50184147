// Formula:   turned(x, y) = (u(x, height - y) - middle) * scale
// Inputs:    values u (width x height), middle_scale
// Domain and range: nodes with y downward -> as many heights, row 0 the farthest
// Edges:     none
// Reference: house
uniform Stream values;
uniform vec2 middle_scale;
DOMAIN coords;
RANGE float turned;

void main() {
    turned = (value2(values, coords).x - middle_scale.x) * middle_scale.y;
}
