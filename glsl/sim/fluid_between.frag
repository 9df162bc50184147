// Formula:   d = h div u of the cell between a node and those east, north and north-east of it, each of its sides the mean of two nodes
// Inputs:    velocity (collocated), solids (1 in a solid), grid (columns, rows, and the same where periodic, else 0)
// Domain and range: all texels of the packed vector; 18 fetches for four cells
// Edges:     0 where there is no such cell, and where one of its corners is solid; padding becomes 0
// Reference: what central differences do not see: a checkerboard of velocities has none of their divergence, but this one
uniform Stream velocity, solids;
uniform vec4 grid;
DOMAIN at;
RANGE vec4 divergence;

// (u, v, 1 in the fluid)
vec3 node(vec2 place) {
    place += -grid.zw * vec2(greaterThanEqual(place, grid.xy));
    float fluid = 1.0 - step(0.5, value2(solids, place + 0.5).x);
    return vec3(value2(velocity, place + 0.5).xy, fluid * float(all(lessThan(place, grid.xy))));
}

float outflow(vec3 sw, vec3 se, vec3 nw, vec3 ne) {
    float out_of_it = 0.5 * (((se.x + ne.x) - (sw.x + nw.x)) + ((nw.y + ne.y) - (sw.y + se.y)));
    return min(min(sw.z, se.z), min(nw.z, ne.z)) > 0.5 ? out_of_it : 0.0;
}

void main() {
    vec2 first = 2.0 * floor(at);
    vec3 a = node(first), b = node(first + vec2(1.0, 0.0)), c = node(first + vec2(2.0, 0.0));
    vec3 d = node(first + vec2(0.0, 1.0)), e = node(first + vec2(1.0, 1.0)), f = node(first + vec2(2.0, 1.0));
    vec3 g = node(first + vec2(0.0, 2.0)), h = node(first + vec2(1.0, 2.0)), i = node(first + vec2(2.0, 2.0));
    vec4 column = first.x + vec4(0.0, 1.0, 0.0, 1.0), row = first.y + vec4(0.0, 0.0, 1.0, 1.0);
    vec4 inside = vec4(lessThan(column, vec4(grid.x))) * vec4(lessThan(row, vec4(grid.y)));
    vec4 all_four = vec4(outflow(a, b, d, e), outflow(b, c, e, f), outflow(d, e, g, h), outflow(e, f, h, i));
    divergence = mix(vec4(0.0), all_four, greaterThan(inside, vec4(0.0)));
}
