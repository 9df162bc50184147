// Formula:   r -= a q;  p = M r + b p;  x += (a p of the step before) + a p in the variant WHOLE; q = A p computed here
// Inputs:    p, r, and x, former (p before) if WHOLE (packed 2x2), inverse (M) in the variant PRECONDITIONED, history and beside, tolerance squared, A
// Domain and range: all texels of the vectors
// Edges:     those of the product
// Reference: cg_update.frag, whose a and b these are, without a q that is written and read
uniform Stream p, r;
#if WHOLE
uniform Stream x, former;
#endif
#if PRECONDITIONED
uniform Stream inverse;
#endif
uniform Stream history, beside;
uniform float tolerance2;
DECLARE_PRODUCT
DOMAIN at;
DOMAIN now;
DOMAIN start;
DOMAIN before;
RANGE vec4 next_r;
RANGE vec4 next_p;
DECLARE_X

// A system that has converged, or has broken down, stays as it is.
bool goes_on(vec4 sums, float bb) {
    return sums.x > 0.0 && sums.w > tolerance2 * (bb > 0.0 ? bb : 1.0);
}

void main() {
    vec4 sums = value2(history, now), direction, q = product(at, direction);
    float bb = value2(history, start).x;
    bool steps = goes_on(sums, bb);
    float a = steps ? value2(beside, now).x / sums.x : 0.0;
    float b = steps ? (a * sums.y - sums.z) / sums.x : 0.0;
#if WHOLE
    vec4 earlier = value2(history, before);
    float c = goes_on(earlier, bb) ? value2(beside, before).x / earlier.x : 0.0;
    next_x = (value2(x, at) + c * value2(former, at)) + a * direction;
#endif
    next_r = value2(r, at) - a * q;
#if PRECONDITIONED
    vec4 z = value2(inverse, at) * next_r;
#else
    vec4 z = next_r;
#endif
    next_p = steps ? z + b * direction : direction;
}
