// Words of kernels that look at the neighbours of voxels: those of the four in a texel at a normalised address, along
// -x +x (west, east), -y +y (north, south), -z +z (below, above). Slices lie side by side, each ending in an empty column
// and row, so no step leaves a slice unseen; only where the texture begins there is none before, and it is masked. The
// slice above lies a `hop` away: a tile's sides, in units of the texture. One that would begin beyond the right edge lies
// at the left one, a tile's height further; before the first slice comes the last, which is empty.
struct Neighbours {
    vec4 west, east, north, south, below, above;
};

vec4 westOf(Stream voxels, vec2 address, vec4 here) {
    vec4 west = textureLodOffset(voxels.texels, address, 0.0, ivec2(-1, 0)) * step(voxels.extent.z, address.x);
    return vec4(west.g, here.r, west.a, here.b);
}

vec4 eastOf(Stream voxels, vec2 address, vec4 here) {
    vec4 east = textureLodOffset(voxels.texels, address, 0.0, ivec2(1, 0));
    return vec4(here.g, east.r, here.a, east.b);
}

vec4 northOf(Stream voxels, vec2 address, vec4 here) {
    vec4 north = textureLodOffset(voxels.texels, address, 0.0, ivec2(0, -1)) * step(voxels.extent.w, address.y);
    return vec4(north.ba, here.rg);
}

vec4 southOf(Stream voxels, vec2 address, vec4 here) {
    return vec4(here.ba, textureLodOffset(voxels.texels, address, 0.0, ivec2(0, 1)).rg);
}

vec4 aboveOf(Stream voxels, vec2 address, vec2 hop) {
    float column = address.x + hop.x, row = address.y + floor(column) * hop.y;
    return textureLod(voxels.texels, fract(vec2(column, row)), 0.0);
}

vec4 belowOf(Stream voxels, vec2 address, vec2 hop) {
    return aboveOf(voxels, address, vec2(-hop.x, hop.y));
}

Neighbours neighboursOf(Stream voxels, vec2 address, vec4 here, vec2 hop) {
    return Neighbours(
        westOf(voxels, address, here), eastOf(voxels, address, here),
        northOf(voxels, address, here), southOf(voxels, address, here),
        belowOf(voxels, address, hop), aboveOf(voxels, address, hop));
}

// Column, row and slice of the first voxel of a texel. `tiles`: texels across and down a slice, and slices side by side.
vec3 voxelAt(vec2 at, vec3 tiles) {
    vec2 tile = floor(at / tiles.xy);
    return vec3(2.0 * (floor(at) - tile * tiles.xy), tile.y * tiles.z + tile.x);
}

// Four neighbours in a slice, from a field that voxel_corners.frag has spread to a texel a voxel: r g, and b a a row on.
vec4 cornersAt(Stream corners, vec3 voxel, vec3 tiles) {
    float row = floor((voxel.z + 0.5) / tiles.z);
    return value2(corners, vec2(voxel.z - row * tiles.z, row) * 2.0 * tiles.xy + voxel.xy + 0.5);
}

// The value at a place between voxels, whose centres are at whole numbers from 0 to `last`; beyond them that of the nearest
// place. Two fetches.
float betweenVoxels(Stream corners, vec3 place, vec3 last, vec3 tiles) {
    vec3 within = clamp(place, vec3(0.0), last), low = floor(within), part = within - low;
    vec4 below = cornersAt(corners, low, tiles);
    vec4 above = cornersAt(corners, vec3(low.xy, min(low.z + 1.0, last.z)), tiles);
    vec4 four = mix(below, above, part.z);
    vec2 rows = mix(four.rb, four.ga, part.x);
    return mix(rows.x, rows.y, part.y);
}
