// Formula:   a fragment where |u' - u| > epsilon, none elsewhere: for an occlusion query to count
// Inputs:    newest, last (width x height: the temperatures after and before a step), epsilon
// Domain and range: the plate -> the change, of which only the number of fragments matters
// Edges:     none
// Reference: Harris, Mapping Computational Concepts to GPUs, course slides, "Branching with Occlusion Query"
uniform Stream newest, last;
uniform float epsilon;
DOMAIN coords;
RANGE float change;

void main() {
    change = abs(value2(newest, coords).x - value2(last, coords).x);
    if (change <= epsilon) {
        discard;
    }
}
