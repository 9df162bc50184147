// Formula:   entry = (divisor, 0, 0, norm2), or the magnitude of the divisor in the variant UNSIGNED
// Inputs:    divisor, norm2 (1x1)
// Domain and range: one texel of a solver's history
// Edges:     none
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44: scalars stay on the GPU
uniform Stream divisor, norm2;
RANGE vec4 entry;

void main() {
    float by = value0(divisor).x;
#if UNSIGNED
    by = abs(by);
#endif
    entry = vec4(by, 0.0, 0.0, value0(norm2).x);
}
