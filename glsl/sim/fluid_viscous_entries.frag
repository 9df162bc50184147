// Formula:   an entry of (1 - a laplacian) of a component of the velocity, times its part of a cell: WAY 0 the diagonal, else to the west, east, south, north (1 to 4)
// Inputs:    held (z or w: is the component held there), grid (columns, rows of the component, and the same where periodic, else 0), half_cells (west, east, south, north: 1 where so), grip (the same: 1 where the side holds what passes half a cell from it), a (viscosity times the time step by the square of the spacing)
// Domain and range: all texels of the packed vector
// Edges:     nothing beyond a side; a row of what is held is 0, as is padding
// Reference: Bolz et al. 2003, 4.1, eq. 2
uniform Stream held;
uniform vec4 grid, half_cells;
#if WAY == 0
uniform vec4 grip;
#endif
uniform float a;
DOMAIN at;
RANGE vec4 entries;

bool inside(vec2 place) {
    return all(greaterThanEqual(place, vec2(0.0))) && all(lessThan(place, grid.xy));
}

vec2 around(vec2 place) {
    return place + grid.zw * (vec2(lessThan(place, vec2(0.0))) - vec2(greaterThanEqual(place, grid.xy)));
}

float isFree(vec2 place) {
    vec4 fixed_values = value2(held, place + 0.5);
    return 1.0 - (COMPONENT == 0 ? fixed_values.z : fixed_values.w);
}

vec2 width(vec2 place) {
    vec2 first = vec2(equal(place, vec2(0.0))), last = vec2(equal(place, grid.xy - 1.0));
    return 1.0 - 0.5 * (first * half_cells.xz + last * half_cells.yw);
}

#if WAY == 0
// The entry that a neighbour adds to the diagonal: as wide as the way to it, or what the side does.
float beside(vec2 neighbour, float wide, float side) {
    return inside(around(neighbour)) ? wide : 2.0 * side;
}
#endif

float entry(vec2 place) {
    if (!inside(place)) {
        return 0.0;
    }
    vec2 wide = width(place).yx;
#if WAY == 0
    vec2 right = vec2(1.0, 0.0), up = vec2(0.0, 1.0);
    float neighbours = (beside(place - right, wide.x, grip.x) + beside(place + right, wide.x, grip.y))
        + (beside(place - up, wide.y, grip.z) + beside(place + up, wide.y, grip.w));
    float value = wide.x * wide.y + a * neighbours;
#else
    vec2 way = WAY == 1 ? vec2(-1.0, 0.0) : WAY == 2 ? vec2(1.0, 0.0) : WAY == 3 ? vec2(0.0, -1.0) : vec2(0.0, 1.0);
    vec2 neighbour = around(place + way);
    float value = inside(neighbour) ? -a * (WAY < 3 ? wide.x : wide.y) * isFree(neighbour) : 0.0;
#endif
    return isFree(place) * value;
}

void main() {
    vec2 first = 2.0 * floor(at);
    entries = vec4(
        entry(first), entry(first + vec2(1.0, 0.0)), entry(first + vec2(0.0, 1.0)), entry(first + vec2(1.0, 1.0)));
}
