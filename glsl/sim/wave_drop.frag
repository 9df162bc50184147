// Formula:   amount (1 + cos(pi d / radius)) / 2 at distance d from the centre, 0 beyond, times its taper at the edges
// Inputs:    centre (texels), radius (texels), amount, beyond (first places out there), taper (texels)
// Domain and range: the grid, one element a texel
// Edges:     where they are fixed, the drop rises from 0 over the taper's length: a step would ring for ever
// Reference: house; smooth to the first derivative, so that few waves shorter than the drop are made
uniform vec2 centre;
uniform float radius, amount;
uniform vec2 beyond, taper;
DOMAIN coords;
RANGE float height;

void main() {
    float part = min(distance(coords, centre) / radius, 1.0);
    vec2 inside = smoothstep(vec2(0.0), taper, min(coords + 0.5, beyond - coords));
    height = 0.5 * amount * (1.0 + cos(3.14159265 * part)) * inside.x * inside.y;
}
