// Formula:   low of (a + b, b + a, a + b in order, c c): 2^-30 three times and 2^-24 where the driver keeps rounding errors
// Inputs:    a = 1, b = 2^-30, c = 1 + 2^-12
// Domain and range: 1 x 1
// Edges:     none
// Reference: Dekker, A floating-point technique for extending the available precision, 1971
uniform float a, b, c;
RANGE vec4 found;

void main() {
    vec2 one = vec2(a), small = vec2(b), root = vec2(c);
    found = vec4(twoSum(one, small).z, twoSum(small, one).z, twoSumOrdered(one, small).z, twoProduct(root, root).z);
}
