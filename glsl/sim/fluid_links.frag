// Formula:   links = (weight, weight, area, area) of the ways to the west and to the south: 0 into solids, 1/2 along sides that cut cells in half
// Inputs:    solids (1 in a solid, at centres), grid (columns, rows, and the same where periodic, else 0), open and half_cells (west, east, south, north: 1 where so)
// Domain and range: centres, and one column and row more where the grid is not periodic: the last ways to the east and the north
// Edges:     the weight of a way through a side is 0, or as inside where it is open; its area is that of what flows there
// Reference: Bolz et al. 2003, 4.1: zero Neumann conditions, as control volumes
uniform Stream solids;
uniform vec4 grid, open, half_cells;
DOMAIN at;
RANGE vec4 links;

float fluid(vec2 place) {
    place += grid.zw * (vec2(lessThan(place, vec2(0.0))) - vec2(greaterThanEqual(place, grid.xy)));
    return 1.0 - step(0.5, value2(solids, clamp(place, vec2(0.0), grid.xy - 1.0) + 0.5).x);
}

// The part of its width that a way keeps beside the sides.
vec2 width(vec2 place) {
    vec2 first = vec2(equal(place, vec2(0.0))), last = vec2(equal(place, grid.xy - 1.0));
    return 1.0 - 0.5 * (first * half_cells.xz + last * half_cells.yw);
}

void main() {
    vec2 place = floor(at);
    float here = fluid(place);
    vec2 both = here * vec2(fluid(place - vec2(1.0, 0.0)), fluid(place - vec2(0.0, 1.0)));
    // A way to the west is as wide as its row, which must be one of the grid.
    vec2 area = both * width(place).yx * vec2(lessThan(place, grid.xy)).yx;
    vec2 first = vec2(equal(place, vec2(0.0))), beyond = vec2(equal(place, grid.xy));
    vec2 passes = mix(mix(vec2(1.0), open.yw, beyond), open.xz, first);
    links = vec4(area * passes, area);
}
