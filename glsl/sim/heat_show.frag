// Formula:   shown = u, `obstacle` where heat cannot go, `line` where u >= level, or not, changes to the right or below
// Inputs:    temperature (width x height), cells (the same, RG = (open, free)), obstacle (NaN, for a colour of its own), lines (1 for an isotherm, 0 for none), level, line
// Domain and range: the plate -> a picture's numbers
// Edges:     clamp: no isotherm runs along the edge, nor along an obstacle
// Reference: house
uniform Stream temperature, cells;
uniform float obstacle, lines, level, line;
DOMAIN coords;
RANGE float shown;

bool crosses(bool above, vec2 next) {
    return next.y > 0.5 && (next.x >= level) != above;
}

void main() {
    float here = value2(temperature, coords).x;
    bool open = value2(cells, coords).x > 0.5;
    shown = open ? here : obstacle;
    if (lines > 0.5 && open) {
        vec2 right = vec2(valueOffset(temperature, coords, ivec2(1, 0)).x, valueOffset(cells, coords, ivec2(1, 0)).x);
        vec2 below = vec2(valueOffset(temperature, coords, ivec2(0, 1)).x, valueOffset(cells, coords, ivec2(0, 1)).x);
        bool above = here >= level;
        shown = crosses(above, right) || crosses(above, below) ? line : shown;
    }
}
