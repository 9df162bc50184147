// Formula:   phi + (sum over the six neighbours - 6 phi) / 8, no farther than MOST from phi
// Inputs:    field phi (voxels, in distances of them); tiles, voxels of the box
// Domain and range: all voxels
// Edges:     beyond the box as at its side
// Reference: Taubin, A Signal Processing Approach to Fair Surface Design, 1995, section 3 (the mean of the neighbours); the bound: house
uniform Stream field;
uniform vec3 tiles, size;
DOMAIN at;
RANGE vec4 smoothed;

const float MOST = 0.4; // a drop of a voxel stays

float phi(vec3 voxel) {
    vec3 within = clamp(voxel, vec3(0.0), size - 1.0);
    float row = floor((within.z + 0.5) / tiles.z);
    return valuePacked(field, 2.0 * vec2(within.z - row * tiles.z, row) * tiles.xy + within.xy);
}

float mended(vec3 voxel) {
    const vec2 STEP = vec2(1.0, 0.0);
    float own = phi(voxel);
    float around = phi(voxel + STEP.xyy) + phi(voxel - STEP.xyy) + phi(voxel + STEP.yxy)
        + phi(voxel - STEP.yxy) + phi(voxel + STEP.yyx) + phi(voxel - STEP.yyx);
    return own + clamp(0.125 * around - 0.75 * own, -MOST, MOST);
}

void main() {
    vec3 first = voxelAt(at, tiles);
    smoothed = vec4(
        mended(first), mended(first + vec3(1.0, 0.0, 0.0)), mended(first + vec3(0.0, 1.0, 0.0)),
        mended(first + vec3(1.0, 1.0, 0.0)));
}
