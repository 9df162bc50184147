// Formula:   light = exp(-absorption (q / 2 + sum of q in all voxels above))
// Inputs:    density q (voxels); tiles, voxels of the box; absorption a voxel
// Domain and range: all voxels
// Edges:     full light above the box; beyond its sides as inside, without smoke
// Reference: Fedkiw, Stam & Jensen, Visual Simulation of Smoke, 2001, section 4 (the light before the picture)
uniform Stream density;
uniform vec3 tiles, size;
uniform float absorption;
DOMAIN at;
RANGE vec4 light;

void main() {
    vec2 tile = floor(at / tiles.xy), inside = at - tile * tiles.xy;
    vec4 passed = 0.5 * value2(density, at);
    for (float slice = tile.y * tiles.z + tile.x + 1.0; slice < size.z; slice += 1.0) {
        float row = floor((slice + 0.5) / tiles.z);
        passed += value2(density, vec2(slice - row * tiles.z, row) * tiles.xy + inside);
    }
    light = exp(-absorption * passed);
}
