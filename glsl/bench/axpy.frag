// Formula:   next = a x + y
// Inputs:    x, y (width x height, RGBA = a 2 x 2 block of values), a
// Domain and range: the whole texture
// Edges:     none
// Reference: Krueger & Westermann, A GPU Framework, Table 44-1 ("vector-vector op")
uniform Stream x, y;
uniform float a;
DOMAIN coords;
RANGE vec4 next;

void main() {
    next = a * value2(x, coords) + value2(y, coords);
}
