// Formula:   the slices of a box beside and below each other, the lowest first, a line of `gap` after each
// Inputs:    field (voxels); tiles; voxels of the box; slices side by side; gap
// Domain and range: the map -> a value a texel
// Edges:     what is left of the last row of slices is gap
// Reference: house
uniform Stream field;
uniform vec3 tiles, size;
uniform float beside, gap;
DOMAIN at;
RANGE float value_there;

void main() {
    vec2 sides = size.xy + 1.0, tile = floor(at / sides), voxel = floor(at) - tile * sides;
    float slice = tile.y * beside + tile.x, row = floor((slice + 0.5) / tiles.z);
    vec2 inside = step(voxel + 0.5, size.xy);
    float there = inside.x * inside.y * step(slice + 0.5, size.z);
    value_there = gap;
    if (there > 0.5) {
        value_there = valuePacked(field, vec2(slice - row * tiles.z, row) * 2.0 * tiles.xy + voxel);
    }
}
