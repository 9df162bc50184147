// Formula:   1
// Inputs:    none
// Domain and range: one point -> its element, added
// Edges:     none
// Reference: Harris, Mapping Computational Concepts to GPUs, the course slides (scatter by points)
RANGE float one;

void main() {
    one = 1.0;
}
