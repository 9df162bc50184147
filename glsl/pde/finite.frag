// Formula:   1 for each component that is no finite number, else 0
// Inputs:    state (width x height, 1 to 4 components)
// Domain and range: the grid
// Edges:     none are met
// Reference: none; marks for a reduction
uniform Stream state;
DOMAIN coords;
RANGE vec4 bad;

void main() {
    vec4 value = value2(state, coords);
    bad = vec4(isnan(value)) + vec4(isinf(value));
}
