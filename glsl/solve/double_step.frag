// Formula:   steps = (a, b), a = r.r / p.q, b = |r - a q|^2 / r.r = (r.r - a (2 r.q - a q.q)) / r.r, in double-single; entry = (p.q, 0, 0, r.r)
// Inputs:    of_q (p.q, q.q), of_r (r.q, r.r), bb (1x1 each), tolerance squared
// Domain and range: one texel of a solver's history and of what is beside it
// Edges:     a = 0 where the tolerance is met or p.q is not above 0: nothing changes any more
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44, Listing 44-1, with one reduction; Dekker 1971
uniform Stream of_q, of_r, bb;
uniform float tolerance2;
RANGE vec4 entry;
RANGE vec4 steps;

void main() {
    vec4 q = value0(of_q), r = value0(of_r);
    float right = value0(bb).x;
    bool goes_on = q.x > 0.0 && r.y > tolerance2 * (right > 0.0 ? right : 1.0);
    vec4 qq = q.yyww, rq = r.xxzz, rr = r.yyww;
    vec4 a = doubleQuotient(rr, q.xxzz);
    vec4 less = doubleProduct(a, doubleSum(2.0 * rq, -doubleProduct(a, qq)));
    vec4 b = doubleQuotient(doubleSum(rr, -less), rr);
    entry = vec4(q.x, 0.0, 0.0, r.y);
    steps = goes_on ? vec4(a.x, b.x, a.z, b.z) : vec4(0.0);
}
