// Formula:   y = A x, a texture for each of seven diagonals, or one for all of them, one above the other (STACKED)
// Inputs:    x (voxels); what each voxel multiplies itself and its neighbours by (voxels); hop of a slice
// Domain and range: all texels of the box
// Edges:     entries are 0 where a neighbour is none
// Reference: Batty, Wiebe & Houston 2003, septdiagmul.cg, in the layout of linalg/seven_point.frag
uniform Stream x;
#if STACKED
uniform Stream matrix;
#define entries(number, name) value2(matrix, vec2(at.x, at.y + number * x.extent.y))
#else
uniform Stream diagonal, to_west, to_east, to_north, to_south, to_below, to_above;
#define entries(number, name) value2(name, at)
#endif
uniform vec2 hop;
DOMAIN at;
RANGE vec4 y;

void main() {
    vec4 own = value2(x, at);
    Neighbours of = neighboursOf(x, addressOf(x, at), own, hop);
    y = entries(0.0, diagonal) * own
        + (entries(1.0, to_west) * of.west + entries(2.0, to_east) * of.east)
        + (entries(3.0, to_north) * of.north + entries(4.0, to_south) * of.south)
        + (entries(5.0, to_below) * of.below + entries(6.0, to_above) * of.above);
}
