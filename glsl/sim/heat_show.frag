// Formula:   shown = u, or `obstacle` where heat cannot go
// Inputs:    temperature (width x height), cells (the same, RG = (open, free)), obstacle (NaN, for a colour of its own)
// Domain and range: the plate -> a picture's numbers
// Edges:     none
// Reference: house
uniform Stream temperature, cells;
uniform float obstacle;
DOMAIN coords;
RANGE float shown;

void main() {
    shown = value2(cells, coords).x > 0.5 ? value2(temperature, coords).x : obstacle;
}
