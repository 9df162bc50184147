// Formula:   x + that of the coarse voxel around each fine one, where there is an unknown
// Inputs:    x, diagonal (fine voxels); coarse; tiles of both boxes
// Domain and range: all texels of the fine box
// Edges:     where d = 0, x is 0 and stays so
// Reference: the transpose of the sum in voxel_coarsen.frag
uniform Stream x, diagonal, coarse;
uniform vec3 fine_tiles, coarse_tiles; // columns and rows of texels, and tiles in a row
DOMAIN at;
RANGE vec4 refined;

void main() {
    vec2 tile = floor(at / fine_tiles.xy);
    vec2 cell = at - 0.5 - tile * fine_tiles.xy; // the texel of a slice is a voxel of the coarse slice
    float slice = floor(0.5 * (tile.y * fine_tiles.z + tile.x) + 0.25);
    float row = floor((slice + 0.5) / coarse_tiles.z);
    vec2 coarse_tile = vec2(slice - row * coarse_tiles.z, row);
    float correction = valuePacked(coarse, 2.0 * coarse_tile * coarse_tiles.xy + floor(cell + 0.25));
    refined = value2(x, at) + correction * step(vec4(1e-30), value2(diagonal, at));
}
