// Formula:   next = max(x + d (A x + b), 0), or clamp(x + d (A x + b), lower, upper) in the variant BOX
// Inputs:    x, product (A x), b, d, lower and upper (packed 4x1); for MOMENTUM before, product_before, steer, group as well
// Domain and range: all texels of x
// Edges:     none: d is 0 in the padding, which stays as it is
// Reference: Moravanszky, Dense Matrix Algebra on the GPU, 4.2 (madad and max in one pass); Nesterov 1983
//
// MOMENTUM: starts from y = x + momentum (x - before), whose A y follows from the two products, with d = 1 / diag(A) times
// -step. Steer holds (theta, momentum, step) of each group, and group where each texel's are.
uniform Stream x, product, b, d;
#if MOMENTUM
uniform Stream before, product_before, steer, group;
#endif
#if BOX
uniform Stream lower, upper;
#endif
DOMAIN at;
RANGE vec4 next;

void main() {
    vec4 here = value2(x, at), image = value2(product, at), factor = value2(d, at);
#if MOMENTUM
    vec4 now = value2(steer, vec2(0.5, value2(group, at).x));
    here += now.y * (here - value2(before, at));
    image += now.y * (image - value2(product_before, at));
    factor *= -now.z;
#endif
    vec4 free = here + factor * (image + value2(b, at));
#if BOX
    next = clamp(free, value2(lower, at), value2(upper, at));
#else
    next = max(free, vec4(0.0));
#endif
}
