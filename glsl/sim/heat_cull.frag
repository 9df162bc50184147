// Formula:   a fragment where nothing is to be computed, none where a cell is free
// Inputs:    cells (width x height, RG = (open, free))
// Domain and range: the plate -> the mask of a depth or stencil cull; the colour is of no account
// Edges:     none
// Reference: Harris, Mapping Computational Concepts to GPUs, course slides, "Z-Cull"
uniform Stream cells;
DOMAIN coords;
RANGE vec4 culled;

void main() {
    if (value2(cells, coords).y > 0.5) {
        discard;
    }
    culled = vec4(1.0);
}
