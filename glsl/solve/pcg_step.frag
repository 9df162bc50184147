// Formula:   x += a p;  r -= a q, with a = p.r / p.q
// Inputs:    x, r, p, q (packed 2x2), history and beside, tolerance squared
// Domain and range: all texels of the vectors
// Edges:     none
// Reference: Hestenes & Stiefel 1952, section 3; Krueger & Westermann, GPU Gems 2 ch. 44, Listing 44-1
//
// The history holds p.q and r.r of this iteration in texel `now`, and b.b in texel `start`; p.r is beside it.
uniform Stream x, r, p, q;
uniform Stream history, beside;
uniform float tolerance2;
DOMAIN at;
DOMAIN now;
DOMAIN start;
RANGE vec4 next_x;
RANGE vec4 next_r;

void main() {
    vec4 sums = value2(history, now);
    float pr = value2(beside, now).x, bb = value2(history, start).x;
    // A system that has converged, or has broken down, stays as it is.
    bool goes_on = sums.x > 0.0 && sums.w > tolerance2 * (bb > 0.0 ? bb : 1.0);
    float a = goes_on ? pr / sums.x : 0.0;
    next_x = value2(x, at) + a * value2(p, at);
    next_r = value2(r, at) - a * value2(q, at);
}
