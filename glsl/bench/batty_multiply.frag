// Formula:   y = A x, seven diagonals, four voxels along x a texel, texels wrapped row by row
// Inputs:    x and seven diagonals; texels to the next row and slice of voxels
// Domain and range: all texels of the wrapped array
// Edges:     entries are 0 where a neighbour is none; the first and last texels of the array belong to no voxel
// Reference: Batty, Wiebe & Houston 2003, septdiagmul.cg and Appendix C.2 to C.5
uniform Stream x;
uniform Stream diagonal, to_west, to_east, to_north, to_south, to_below, to_above;
uniform float row, slice;
DOMAIN at;
RANGE vec4 y;

// "Skewed" coordinates: rows of the texture and, behind the point, how far along; so one addition wraps by itself.
vec4 along(float skewed, float texels) {
    float further = skewed + texels * x.extent.z;
    float wrapped = floor(further);
    return value2(x, vec2((further - wrapped) * x.extent.x, wrapped + 0.5));
}

void main() {
    float skewed = floor(at.y) + at.x * x.extent.z;
    vec4 own = value2(x, at);
    vec4 west = vec4(along(skewed, -1.0).a, own.rgb), east = vec4(own.gba, along(skewed, 1.0).r);
    y = value2(diagonal, at) * own + value2(to_west, at) * west + value2(to_east, at) * east
        + value2(to_north, at) * along(skewed, -row) + value2(to_south, at) * along(skewed, row)
        + value2(to_below, at) * along(skewed, -slice) + value2(to_above, at) * along(skewed, slice);
}
