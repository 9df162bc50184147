// Formula:   amount (1 + cos(pi d / radius)) / 2 at distance d from the centre, 0 beyond the radius
// Inputs:    centre (texels), radius (texels), amount
// Domain and range: the grid, one element a texel
// Edges:     none
// Reference: house; smooth to the first derivative, so that few waves shorter than the drop are made
uniform vec2 centre;
uniform float radius, amount;
DOMAIN coords;
RANGE float height;

void main() {
    float part = min(distance(coords, centre) / radius, 1.0);
    height = 0.5 * amount * (1.0 + cos(3.14159265 * part));
}
