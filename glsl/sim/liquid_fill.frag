// Formula:   how much of each voxel is liquid, 1/2 - phi between 0 and 1; and 1 where a shift of phi changes that
// Inputs:    phi, signed distance (voxels); cells (0 solid)
// Domain and range: all voxels
// Edges:     0 in what is solid
// Reference: house
uniform Stream phi, cells;
DOMAIN at;
RANGE vec4 part;
RANGE vec4 skin;

void main() {
    vec4 distance = value2(phi, at), open = step(0.5, value2(cells, at));
    part = open * clamp(0.5 - distance, 0.0, 1.0);
    skin = open * step(abs(distance), vec4(0.5));
}
