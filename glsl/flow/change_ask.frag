// Formula:   a fragment passes where |after - before| > tolerance in any component
// Inputs:    before, after (two states of one shape), tolerance
// Domain and range: what is asked about; what is written is of no use, an occlusion query counts the fragments
// Edges:     none
// Reference: Harris, Mapping Computational Concepts to GPUs, course slide 34
uniform Stream before, after;
uniform float tolerance;
DOMAIN at;
RANGE float changed;

void main() {
    vec4 change = abs(value2(after, at) - value2(before, at));
    if (all(lessThanEqual(change, vec4(tolerance)))) discard;
    changed = 1.0;
}
