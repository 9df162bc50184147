// Formula:   count = number of iterations that a loop of `bound` iterations really makes
// Inputs:    bound, one = 1 (unknown to the compiler, so that the loop stays a loop)
// Domain and range: 1 x 1
// Edges:     none
// Reference: none; some drivers stop all loops of a fragment at 65 535 iterations without a word
uniform float bound, one;
RANGE vec4 count;

void main() {
    float n = 0.0;
    while (n < bound) {
        n += one;
    }
    count = vec4(n);
}
