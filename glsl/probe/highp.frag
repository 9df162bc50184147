// Formula:   (the times that 1 can be halved until 1 + it is 1, is 2^100 kept): 23 and 1 where floats have 32 bits
// Inputs:    one = 1, half_of_one = 0.5, big = 2^100
// Domain and range: 1 x 1
// Edges:     none
// Reference: Harris, Mapping Computational Concepts to GPUs, Table 31-1
uniform float one, half_of_one, big;
RANGE vec4 found;

void main() {
    float bit = one;
    found = vec4(0.0);
    for (int i = 0; i < 64; i++) {
        bit *= half_of_one;
        // As bits: asked whether 1 + b is 1, a compiler may look whether b is 0.
        if (floatBitsToUint(one + bit) == floatBitsToUint(one)) break;
        found.x += 1.0;
    }
    found.y = float(big * half_of_one * 2.0 == big && big > 1e30);
}
