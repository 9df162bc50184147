// Formula:   b = -(what flows out of each cell), in velocities: -h div u times the part of the cell that is inside
// Inputs:    velocity (one a texel), collocated: links (areas of the ways to the west and the south in b and a) and held (what flows through sides), grid (columns, rows, and the same where periodic, else 0)
// Domain and range: all texels of the packed vector; a texel takes 12 + 8 + 4 fetches for its four nodes, 8 for its four staggered cells
// Edges:     through a side flows what its node is held at, through an open one what it has; padding becomes 0
// Reference: Bolz et al. 2003, 4.1, eq. 3
uniform Stream velocity;
#if !STAGGERED
uniform Stream links, held;
#endif
uniform vec4 grid;
DOMAIN at;
RANGE vec4 right_side;

vec2 around(vec2 place) {
    return place + grid.zw * (vec2(lessThan(place, vec2(0.0))) - vec2(greaterThanEqual(place, grid.xy))) + 0.5;
}

vec2 u(vec2 first, float column, float row) {
    return value2(velocity, around(first + vec2(column, row))).xy;
}

#if !STAGGERED
// The flow through a side at one of its nodes.
vec2 through(vec2 first, float column, float row, vec2 own) {
    vec4 fixed_values = value2(held, around(first + vec2(column, row)));
    return mix(own, fixed_values.xy, greaterThan(fixed_values.zw, vec2(0.5)));
}

// The mean of two nodes, or what flows through the side between them.
vec4 between(vec4 one, vec4 other, vec4 side, vec4 is_side) {
    return mix(0.5 * (one + other), side, is_side);
}

vec2 area(vec2 first, float column, float row) {
    return value2(links, around(first + vec2(column, row))).ba;
}
#endif

void main() {
    vec2 first = 2.0 * floor(at);
    vec4 column = first.x + vec4(0.0, 1.0, 0.0, 1.0), row = first.y + vec4(0.0, 0.0, 1.0, 1.0);
    vec2 a = u(first, 0.0, 0.0), b = u(first, 1.0, 0.0), c = u(first, 0.0, 1.0), d = u(first, 1.0, 1.0);
    vec2 east_b = u(first, 2.0, 0.0), east_d = u(first, 2.0, 1.0);
    vec2 north_c = u(first, 0.0, 2.0), north_d = u(first, 1.0, 2.0);
    vec4 own = vec4(a.x, b.x, c.x, d.x), east = vec4(b.x, east_b.x, d.x, east_d.x);
    vec4 own_up = vec4(a.y, b.y, c.y, d.y), north = vec4(c.y, d.y, north_c.y, north_d.y);
#if !STAGGERED
    vec2 west_a = u(first, -1.0, 0.0), west_c = u(first, -1.0, 1.0);
    vec2 south_a = u(first, 0.0, -1.0), south_b = u(first, 1.0, -1.0);
    vec4 west = vec4(west_a.x, a.x, west_c.x, c.x), south = vec4(south_a.y, south_b.y, a.y, b.y);
    vec2 l_a = area(first, 0.0, 0.0), l_b = area(first, 1.0, 0.0), l_c = area(first, 0.0, 1.0), l_d = area(first, 1.0, 1.0);
    vec2 l_east_b = area(first, 2.0, 0.0), l_east_d = area(first, 2.0, 1.0);
    vec2 l_north_c = area(first, 0.0, 2.0), l_north_d = area(first, 1.0, 2.0);
    vec4 to_west = vec4(l_a.x, l_b.x, l_c.x, l_d.x), to_east = vec4(l_b.x, l_east_b.x, l_d.x, l_east_d.x);
    vec4 to_south = vec4(l_a.y, l_b.y, l_c.y, l_d.y), to_north = vec4(l_c.y, l_d.y, l_north_c.y, l_north_d.y);
    vec2 t_a = through(first, 0.0, 0.0, a), t_b = through(first, 1.0, 0.0, b);
    vec2 t_c = through(first, 0.0, 1.0, c), t_d = through(first, 1.0, 1.0, d);
    vec4 across = vec4(t_a.x, t_b.x, t_c.x, t_d.x), up = vec4(t_a.y, t_b.y, t_c.y, t_d.y);
    vec2 sided = vec2(equal(grid.zw, vec2(0.0)));
    vec4 first_column = sided.x * vec4(equal(column, vec4(0.0))), last_column = sided.x * vec4(equal(column, vec4(grid.x - 1.0)));
    vec4 first_row = sided.y * vec4(equal(row, vec4(0.0))), last_row = sided.y * vec4(equal(row, vec4(grid.y - 1.0)));
    vec4 outflow = (to_east * between(own, east, across, last_column) - to_west * between(west, own, across, first_column))
        + (to_north * between(own_up, north, up, last_row) - to_south * between(south, own_up, up, first_row));
#else
    vec4 outflow = (east - own) + (north - own_up);
#endif
    vec4 inside = vec4(lessThan(column, vec4(grid.x))) * vec4(lessThan(row, vec4(grid.y)));
    right_side = mix(vec4(0.0), -outflow, greaterThan(inside, vec4(0.0)));
}
