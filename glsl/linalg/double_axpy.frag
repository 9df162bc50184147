// Formula:   result = y + a x, in double-single
// Inputs:    x, y (two numbers a texel), a (high, high, low, low)
// Domain and range: all texels of the vectors
// Edges:     padding stays 0
// Reference: Dekker, A floating-point technique for extending the available precision, 1971
uniform Stream x, y;
uniform vec4 a;
DOMAIN at;
RANGE vec4 result;

void main() {
    result = doubleSum(value2(y, at), doubleProduct(a, value2(x, at)));
}
