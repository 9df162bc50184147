// Formula:   v = s / sqrt(s.s), and 0 where s.s is 0
// Inputs:    s (packed 2x2), s.s (1x1)
// Domain and range: the field of s; its place among the fields that are kept, one below the other
// Edges:     none
// Reference: Parlett, The Symmetric Eigenvalue Problem, 1980, section 13.8
uniform Stream s, square;
DOMAIN at;
RANGE vec4 v;

void main() {
    float norm2 = value0(square).x;
    v = norm2 > 0.0 ? value2(s, at) * inversesqrt(norm2) : vec4(0.0);
}
