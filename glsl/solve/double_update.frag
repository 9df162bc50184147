// Formula:   x += a p;  r -= a q;  p = r + b p, in double-single
// Inputs:    x, r, p, q (two numbers a texel), steps: (a, b) in texel `now`
// Domain and range: all texels of the vectors
// Edges:     a = 0 leaves everything as it is
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44, Listing 44-1, as one pass; Dekker 1971
uniform Stream x, r, p, q, steps;
DOMAIN at;
DOMAIN now;
RANGE vec4 next_x;
RANGE vec4 next_r;
RANGE vec4 next_p;

void main() {
    vec4 step_of = value2(steps, now), direction = value2(p, at);
    vec4 a = step_of.xxzz, b = step_of.yyww;
    next_x = doubleSum(value2(x, at), doubleProduct(a, direction));
    next_r = doubleSum(value2(r, at), -doubleProduct(a, value2(q, at)));
    next_p = a.x == 0.0 ? direction : doubleSum(next_r, doubleProduct(b, direction));
}
