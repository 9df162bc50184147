// Formula:   panel = state, element by element
// Inputs:    state (width x height, 1 to 4 components)
// Domain and range: coords = the state; range = one panel of a picture of several
// Edges:     none
// Reference: house; numbers of every format of Table 31-1 are 32-bit numbers too, so nothing is rounded
uniform Stream state;
DOMAIN coords;
RANGE vec4 panel;

void main() {
    panel = value2(state, coords);
}
