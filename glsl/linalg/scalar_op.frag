// Formula:   result = x + y, x - y, x y, x / y, x / y with 0 for y = 0, or the root of x (OPERATION 0 to 5)
// Inputs:    x, y (1x1)
// Domain and range: one texel
// Edges:     none
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44, 44.2 and Listing 44-1 (divZ)
uniform Stream x;
#if OPERATION < 5
uniform Stream y;
#endif
RANGE float result;

void main() {
    float left = value0(x).x;
#if OPERATION < 5
    float right = value0(y).x;
#endif
#if OPERATION == 0
    result = left + right;
#elif OPERATION == 1
    result = left - right;
#elif OPERATION == 2
    result = left * right;
#elif OPERATION == 3
    result = left / right;
#elif OPERATION == 4
    result = right == 0.0 ? 0.0 : left / right;
#else
    result = sqrt(left);
#endif
}
