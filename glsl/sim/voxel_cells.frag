// Formula:   kind = solid where it was solid, else fluid where the distance is below 0, else air
// Inputs:    cells (0 solid, 1 air, 2 fluid), signed distance from the surface (voxels)
// Domain and range: all texels of the box
// Edges:     beyond the box is solid and stays so
// Reference: Batty, Wiebe & Houston 2003 (row D5)
uniform Stream cells, surface;
DOMAIN at;
RANGE vec4 kind;

void main() {
    vec4 old = value2(cells, at);
    vec4 filled = 1.0 + step(value2(surface, at), vec4(-1e-30));
    kind = filled * step(0.5, old);
}
