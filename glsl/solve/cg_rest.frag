// Formula:   x += a p, with a = p.r / p.q of the step of that p
// Inputs:    x, p (packed 2x2), history and beside, tolerance squared
// Domain and range: all texels of the vectors
// Edges:     none
// Reference: the part of cg_inline_update.frag that a pair of steps leaves when its second is not made
uniform Stream x, p, history, beside;
uniform float tolerance2;
DOMAIN at;
DOMAIN now;
DOMAIN start;
RANGE vec4 next_x;

void main() {
    vec4 sums = value2(history, now);
    float bb = value2(history, start).x;
    bool steps = sums.x > 0.0 && sums.w > tolerance2 * (bb > 0.0 ? bb : 1.0);
    next_x = value2(x, at) + (steps ? value2(beside, now).x / sums.x : 0.0) * value2(p, at);
}
