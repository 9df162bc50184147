// Formula:   w = free open_n for the neighbours n = (left, right, top, bottom): 1 where heat flows between the two, 0 where not
// Inputs:    cells (width x height, RG = (open, free)), holds (1 for a side that holds a temperature, 0 for an insulated one)
// Domain and range: the plate -> its weights, computed once for all steps until the cells change
// Edges:     beyond a side, what it holds
// Reference: Harris, Mapping Computational Concepts to GPUs, course slides, "Pre-computation"
uniform Stream cells;
uniform vec4 holds;
DOMAIN coords;
RANGE vec4 weights;

void main() {
    vec4 open = vec4(
        valueOffset(cells, coords, ivec2(-1, 0)).x,
        valueOffset(cells, coords, ivec2(1, 0)).x,
        valueOffset(cells, coords, ivec2(0, -1)).x,
        valueOffset(cells, coords, ivec2(0, 1)).x);
    vec2 last = cells.extent.xy - 1.0;
    bvec4 inside = bvec4(coords.x > 1.0, coords.x < last.x, coords.y > 1.0, coords.y < last.y);
    weights = value2(cells, coords).y * mix(holds, open, inside);
}
