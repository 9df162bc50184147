// Formula:   sum = a + b
// Inputs:    a, b (width x height, any components)
// Domain and range: any, the same for both
// Edges:     none
// Reference: stands in for additive blending where a driver has none for 32-bit floats
uniform Stream a, b;
DOMAIN coords;
RANGE vec4 sum;

void main() {
    sum = value2(a, coords) + value2(b, coords);
}
