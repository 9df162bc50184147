// Formula:   u' = u + beta sum of (u_n - u) over the open neighbours n; a cell that is not free keeps its u
// Inputs:    temperature (width x height), cells (the same, RG = (open, free)), beyond (temperature), holds (1 or 0), beta
// Domain and range: the plate, one step later
// Edges:     tested: a side (left, right, top, bottom) lets heat through to the temperature beyond it where it holds one
// Reference: Harris, Mapping Computational Concepts to GPUs, course slides, "Branching Techniques": true branches
uniform Stream temperature, cells;
uniform vec4 beyond, holds;
uniform float beta;
DOMAIN coords;
RANGE float next;

void main() {
    float u = value2(temperature, coords).x;
    float flow = 0.0;
    if (value2(cells, coords).y > 0.5) {
        if (coords.x < 1.0) {
            flow += holds.x * (beyond.x - u);
        } else if (valueOffset(cells, coords, ivec2(-1, 0)).x > 0.5) {
            flow += valueOffset(temperature, coords, ivec2(-1, 0)).x - u;
        }
        if (coords.x > temperature.extent.x - 1.0) {
            flow += holds.y * (beyond.y - u);
        } else if (valueOffset(cells, coords, ivec2(1, 0)).x > 0.5) {
            flow += valueOffset(temperature, coords, ivec2(1, 0)).x - u;
        }
        if (coords.y < 1.0) {
            flow += holds.z * (beyond.z - u);
        } else if (valueOffset(cells, coords, ivec2(0, -1)).x > 0.5) {
            flow += valueOffset(temperature, coords, ivec2(0, -1)).x - u;
        }
        if (coords.y > temperature.extent.y - 1.0) {
            flow += holds.w * (beyond.w - u);
        } else if (valueOffset(cells, coords, ivec2(0, 1)).x > 0.5) {
            flow += valueOffset(temperature, coords, ivec2(0, 1)).x - u;
        }
    }
    next = u + beta * flow;
}
