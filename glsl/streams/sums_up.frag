// Formula:   sums(t) = (a, a + b, a + b + c, (a + b) + (c + d)), a to d the elements 4 t to 4 t + 3 of `values`
// Inputs:    values (a folded array), its length, texels a row of the target
// Domain and range: the texels of the target -> ceil(length / 4) of them, folded
// Edges:     elements past the last are 0
// Reference: Blelloch, Prefix Sums and Their Applications, 1990 (the up-sweep), with four elements a texel
//
// An element is the only component of an array; from the second LEVEL on, the last of a texel of running sums.
uniform Stream values;
uniform float length_of_values, row_of_target;
DOMAIN at;
RANGE vec4 sums;

#if LEVEL == 1
#define TOTAL x
#else
#define TOTAL w
#endif

float element(float index) {
    return index < length_of_values ? value(values, index).TOTAL : 0.0;
}

void main() {
    float first = 4.0 * (floor(at.y) * row_of_target + floor(at.x));
    float a = element(first), b = element(first + 1.0), c = element(first + 2.0), d = element(first + 3.0);
    sums = vec4(a, a + b, (a + b) + c, (a + b) + (c + d));
}
