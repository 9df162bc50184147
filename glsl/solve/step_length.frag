// Formula:   result = x / y while norm2 > tolerance^2 b.b, else 0; and 0 where y = 0
// Inputs:    x, y, norm2 (1x1); history: b.b of the right side in texel `start`; tolerance squared
// Domain and range: one texel
// Edges:     none
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44, Listing 44-1 (divZ); what has converged stays as it is
uniform Stream x, y, norm2, history;
uniform float tolerance2;
DOMAIN start;
RANGE float result;

void main() {
    float bb = value2(history, start).x, right = value0(y).x;
    bool converged = value0(norm2).x <= tolerance2 * (bb > 0.0 ? bb : 1.0);
    result = converged || right == 0.0 ? 0.0 : value0(x).x / right;
}
