// Formula:   amount (1 + cos(pi s)) / 2 (1 - rim s^2), s = d / radius, at distance d from the centre, times the edges' taper
// Inputs:    centre (texels), radius (texels), amount, rim, beyond (first places out there), taper (texels)
// Domain and range: the grid, one element a texel
// Edges:     where they are fixed, the drop rises from 0 over the taper's length: a step would ring for ever
// Reference: house; smooth to the first derivative, so that few waves shorter than the drop are made, and of no volume
uniform vec2 centre;
uniform float radius, amount, rim;
uniform vec2 beyond, taper;
DOMAIN coords;
RANGE float height;

void main() {
    float part = min(distance(coords, centre) / radius, 1.0);
    vec2 inside = smoothstep(vec2(0.0), taper, min(coords + 0.5, beyond - coords));
    // The water that is pressed down comes up around it: the rim is as high as these texels' sum needs to be 0, so that rain neither
    // fills nor drains a basin, wherever it falls.
    float bump = 0.5 * (1.0 + cos(3.14159265 * part)) * (1.0 - rim * part * part);
    height = amount * bump * inside.x * inside.y;
}
