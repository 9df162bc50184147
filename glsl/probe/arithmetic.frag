// Formula:   (is Inf kept, a NaN, is a denormal kept, is a b + c fused): 1 or 0, the NaN apart
// Inputs:    big = 3e38, zero = 0, tiny = 2^-126, quarter, eight, a = 1 + 2^-12, c = -(1 + 2^-11)
// Domain and range: 1 x 1
// Edges:     none
// Reference: Harris, Mapping Computational Concepts to GPUs, Table 31-1 ("supports specials")
uniform float big, zero, tiny, quarter, eight, a, c;
RANGE vec4 found;

void main() {
    float infinity = big * big;
    float nothing = infinity * zero;
    float denormal = tiny * quarter;
    found.x = float(infinity > 3.4e38);
    found.y = nothing; // looked at on the CPU
    found.z = float(denormal * eight > tiny);
    found.w = float(a * a + c != 0.0); // 2^-24 when fused, rounded away when not
}
