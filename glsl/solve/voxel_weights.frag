// Formula:   w = 1 between a voxel and the next along AXIS where both have an unknown, else 0
// Inputs:    diagonal (voxels); hop of a slice
// Domain and range: all texels of the box
// Edges:     beyond the box there is no unknown
// Reference: see SevenPoint, whose weights of 1 are not stored
uniform Stream diagonal;
#if AXIS == 2
uniform vec2 hop;
#endif
DOMAIN at;
RANGE vec4 weight;

void main() {
    vec4 here = value2(diagonal, at);
#if AXIS == 0
    vec4 next = eastOf(diagonal, addressOf(diagonal, at), here);
#elif AXIS == 1
    vec4 next = southOf(diagonal, addressOf(diagonal, at), here);
#else
    vec4 next = aboveOf(diagonal, addressOf(diagonal, at), hop);
#endif
    weight = step(vec4(1e-30), min(here, next));
}
