// Formula:   phi + (volume - kept) / skin, no more than `most` either way
// Inputs:    phi (voxels); cells (0 solid); volume, and how much of it a shift of one voxel changes; kept, most
// Domain and range: all voxels
// Edges:     what is solid stays
// Reference: house
uniform Stream phi, cells, volume, skin;
uniform float kept, most;
DOMAIN at;
RANGE vec4 shifted;

void main() {
    float shift = clamp((value0(volume).x - kept) / max(value0(skin).x, 1.0), -most, most);
    shifted = value2(phi, at) + shift * step(0.5, value2(cells, at));
}
