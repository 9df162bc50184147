// Formula:   x + y | x - y | x y | x / y | x / y, 0 for y = 0 | root of x | x / 4 within 2^-126 and 2^126 | 1 for x <= y / 2^20, else 0 (OPERATION 0 to 7)
// Inputs:    x, y (1x1)
// Domain and range: one texel
// Edges:     none
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44, 44.2 and Listing 44-1 (divZ)
uniform Stream x;
#if OPERATION < 5 || OPERATION == 7
uniform Stream y;
#endif
RANGE float result;

void main() {
    float left = value0(x).x;
#if OPERATION < 5 || OPERATION == 7
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
#elif OPERATION == 5
    result = sqrt(left);
#elif OPERATION == 7
    result = step(left, right * 9.5367431640625e-7);
#else
    result = clamp(0.25 * left, 1.17549435e-38, 8.50705917e37);
#endif
}
