// Formula:   x += a p;  r -= a q;  p = M r + b p, with a = r.Mr / p.q and b = (a^2 q.Mq - r.Mr) / r.Mr
// Inputs:    x, r, p, q (packed 2x2), inverse (M) in the variant PRECONDITIONED, history, tolerance squared
// Domain and range: all texels of the vectors
// Edges:     none
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44, Listing 44-1, as one pass
//
// The history holds the sums (p.q, q.Mq, r.Mr, r.r) of this iteration in texel `now`, and b.b in texel `start`.
uniform Stream x, r, p, q;
#if PRECONDITIONED
uniform Stream inverse;
#endif
uniform Stream history;
uniform float tolerance2;
DOMAIN at;
DOMAIN now;
DOMAIN start;
RANGE vec4 next_x;
RANGE vec4 next_r;
RANGE vec4 next_p;

void main() {
    vec4 sums = value2(history, now);
    float bb = value2(history, start).x;
    vec4 direction = value2(p, at);
    // What has converged, or has broken down, stays as it is.
    bool goes_on = sums.x > 0.0 && sums.z > 0.0 && sums.w > tolerance2 * (bb > 0.0 ? bb : 1.0);
    float a = goes_on ? sums.z / sums.x : 0.0;
    float b = goes_on ? max(a * (a * sums.y / sums.z) - 1.0, 0.0) : 0.0;
    next_x = value2(x, at) + a * direction;
    next_r = value2(r, at) - a * value2(q, at);
#if PRECONDITIONED
    vec4 z = value2(inverse, at) * next_r;
#else
    vec4 z = next_r;
#endif
    next_p = goes_on ? z + b * direction : direction;
}
