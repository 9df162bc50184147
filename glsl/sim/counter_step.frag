// Formula:   n' = n + 1
// Inputs:    count (columns x 1)
// Domain and range: all counters
// Edges:     none
// Reference: Harris, Mapping Computational Concepts to GPUs, 31.1.1: whole numbers end where n + 1 is n
uniform Stream count;
DOMAIN at;
RANGE float next;

void main() {
    next = value2(count, at).x + 1.0;
}
