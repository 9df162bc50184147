// Formula:   b = -(u_east - u_west + v_south - v_north + w_above - w_below) + what walls force, of each cell with an unknown
// Inputs:    u, v, w on the faces towards -x, -y, -z of each voxel; diagonal; FORCED: mean divergence of each pocket; hop of a slice
// Domain and range: all texels of the box
// Edges:     the last faces lie in the empty column, row and slice
// Reference: Batty, Wiebe & Houston 2003 (row D5): the right side of -laplacian p = -div u
uniform Stream u, v, w, diagonal;
#if FORCED
uniform Stream forced;
#endif
uniform vec2 hop;
DOMAIN at;
RANGE vec4 right_side;

void main() {
    vec4 west = value2(u, at), north = value2(v, at), below = value2(w, at);
    vec4 outflow = (eastOf(u, addressOf(u, at), west) - west) + (southOf(v, addressOf(v, at), north) - north)
        + (aboveOf(w, addressOf(w, at), hop) - below);
#if FORCED
    outflow -= value2(forced, at);
#endif
    right_side = -outflow * step(vec4(1e-30), value2(diagonal, at));
}
