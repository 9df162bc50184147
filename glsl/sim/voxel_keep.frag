// Formula:   p where there is an unknown, else 0
// Inputs:    p, diagonal (voxels)
// Domain and range: all texels of the box
// Edges:     none
// Reference: Batty, Wiebe & Houston 2003 (row D4): the last pressure is the next guess, and the fluid has moved
uniform Stream p, diagonal;
DOMAIN at;
RANGE vec4 kept;

void main() {
    kept = value2(p, at) * step(vec4(1e-30), value2(diagonal, at));
}
