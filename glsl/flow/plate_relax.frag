// Formula:   u' = mean of the four neighbours; RESTING: only where |u' - u| > tolerance
// Inputs:    plate (R = u; RESTING: RG = (u, the sweep that made u)); RESTING: tolerance, sweep (the number of this one)
// Domain and range: the interior of the plate, one sweep later; its rim is the boundary condition and stays
// Edges:     none: a fetch from the interior stays inside
// Reference: Harris, Mapping Computational Concepts to GPUs, course slide 34; Jacobi's relaxation of Laplace's equation
//
// RESTING discards what has converged. A discarded texel keeps what is there, and with two buffers that take turns
// that is its value of two sweeps ago, not the last: so it may be discarded only once both buffers hold it. The buffer
// that is written cannot be read, but the age of a value tells. Made in sweep s, it is in one buffer; if it rests in
// sweep s + 1, that one copies it to the other; from sweep s + 2 on both hold it, until a neighbour's change wakes it.
uniform Stream plate;
#if RESTING
uniform float tolerance, sweep;
#endif
DOMAIN at;
RANGE vec2 next;

void main() {
    float sum = valueOffset(plate, at, ivec2(1, 0)).x;
    sum += valueOffset(plate, at, ivec2(-1, 0)).x;
    sum += valueOffset(plate, at, ivec2(0, 1)).x;
    sum += valueOffset(plate, at, ivec2(0, -1)).x;
    float mean = 0.25 * sum;
#if RESTING
    vec2 here = value2(plate, at).xy;
    bool rests = abs(mean - here.x) <= tolerance;
    if (rests && sweep - here.y > 1.5) discard;
    next = rests ? here : vec2(mean, sweep);
#else
    next = vec2(mean, 0.0);
#endif
}
