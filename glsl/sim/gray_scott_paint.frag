// Formula:   (u, v) = paint inside the disc of that centre and radius, unchanged outside
// Inputs:    centre (texels), radius (texels), paint = (u, v)
// Domain and range: the square around the disc, drawn into the state itself
// Edges:     none
// Reference: the mouse
uniform vec2 centre;
uniform float radius;
uniform vec2 paint;
DOMAIN coords;
RANGE vec2 concentration;

void main() {
    if (distance(coords, centre) > radius) {
        discard;
    }
    concentration = paint;
}
