// Formula:   a + b - c
// Inputs:    a, b, c: 1 x 1
// Domain and range: one texel
// Edges:     none
// Reference: none: keeps account of sums without reading them back
uniform Stream a, b, c;
DOMAIN at;
RANGE vec4 tally;

void main() {
    tally = value2(a, at) + (value2(b, at) - value2(c, at));
}
