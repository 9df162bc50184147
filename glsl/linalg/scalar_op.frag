// Formula:   result = x + y, x - y, x y, x / y, or x / y with 0 for y = 0 (OPERATION 0 to 4)
// Inputs:    x, y (1x1)
// Domain and range: one texel
// Edges:     none
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44, 44.2 and Listing 44-1 (divZ)
uniform Stream x, y;
RANGE float result;

void main() {
    float left = value0(x).x, right = value0(y).x;
#if OPERATION == 0
    result = left + right;
#elif OPERATION == 1
    result = left - right;
#elif OPERATION == 2
    result = left * right;
#elif OPERATION == 3
    result = left / right;
#else
    result = right == 0.0 ? 0.0 : left / right;
#endif
}
