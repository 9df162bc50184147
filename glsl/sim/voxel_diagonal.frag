// Formula:   d = sum over the six neighbours of a fluid cell of 1 (fluid), 1 / theta (air), 0 (solid); 0 for other cells
// Inputs:    cells (0 solid, 1 air, 2 fluid), SURFACE: signed distance, least depth; hop of a slice
// Domain and range: all texels of the box
// Edges:     beyond the box is solid
// Reference: Batty, Wiebe & Houston 2003 (rows D1, D5); Gibou et al. 2002, the ghost fluid: theta = own / (own - other), own as far below 0 as `least` for all its sides
uniform Stream cells;
#if SURFACE
uniform Stream surface;
uniform float least;
#endif
uniform vec2 hop;
DOMAIN at;
RANGE vec4 diagonal;

vec4 side(vec4 kind, vec4 own, vec4 other) {
    vec4 fluid = step(1.5, kind), air = step(0.5, kind) - fluid;
#if SURFACE
    vec4 crossed = step(own, vec4(-1e-30)) * step(1e-30, other);
    vec4 depth = min(own, -least), theta = mix(vec4(1.0), depth / min(depth - other, -1e-30), crossed);
    return fluid + air / theta;
#else
    return fluid + air;
#endif
}

void main() {
    vec4 own = value2(cells, at);
    Neighbours kinds = neighboursOf(cells, addressOf(cells, at), own, hop);
#if SURFACE
    vec4 phi = value2(surface, at);
    Neighbours phis = neighboursOf(surface, addressOf(surface, at), phi, hop);
#else
    vec4 phi = vec4(0.0);
    Neighbours phis = kinds;
#endif
    vec4 sum = side(kinds.west, phi, phis.west) + side(kinds.east, phi, phis.east)
        + side(kinds.north, phi, phis.north) + side(kinds.south, phi, phis.south)
        + side(kinds.below, phi, phis.below) + side(kinds.above, phi, phis.above);
    diagonal = sum * step(1.5, own);
}
