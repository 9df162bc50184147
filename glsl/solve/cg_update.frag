// Formula:   x += a p;  r -= a q;  p = M r + b p, with a = p.r / p.q and b = -(new r).Mq / p.q = (a q.Mq - r.Mq) / p.q
// Inputs:    x, r, p, q (packed 2x2), inverse (M) in the variant PRECONDITIONED, history and beside, tolerance squared
// Domain and range: all texels of the vectors
// Edges:     none
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44, Listing 44-1, as one pass; Hestenes & Stiefel 1952, section 3
//
// The history holds the sums (p.q, q.Mq, r.Mq, r.r) of this iteration in texel `now`, and b.b in texel `start`; p.r is
// beside it.
uniform Stream x, r, p, q;
#if PRECONDITIONED
uniform Stream inverse;
#endif
uniform Stream history, beside;
uniform float tolerance2;
DOMAIN at;
DOMAIN now;
DOMAIN start;
RANGE vec4 next_x;
RANGE vec4 next_r;
RANGE vec4 next_p;

void main() {
    vec4 sums = value2(history, now);
    float pr = value2(beside, now).x, bb = value2(history, start).x;
    vec4 direction = value2(p, at);
    // A system that has converged, or has broken down, stays as it is.
    bool goes_on = sums.x > 0.0 && sums.w > tolerance2 * (bb > 0.0 ? bb : 1.0);
    float a = goes_on ? pr / sums.x : 0.0;
    float b = goes_on ? (a * sums.y - sums.z) / sums.x : 0.0;
    next_x = value2(x, at) + a * direction;
    next_r = value2(r, at) - a * value2(q, at);
#if PRECONDITIONED
    vec4 z = value2(inverse, at) * next_r;
#else
    vec4 z = next_r;
#endif
    next_p = goes_on ? z + b * direction : direction;
}
