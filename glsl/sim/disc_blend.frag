// Formula:   element = before + w (paint - before), w = (1 - (d / radius)^2)^2 within the disc at distance d from the centre, 0 outside
// Inputs:    before (the state, copied), centre and radius (texels), paint (as many components as the target has)
// Domain and range: the square around the disc, drawn into the state itself
// Edges:     none
// Reference: the mouse
uniform Stream before;
uniform vec2 centre;
uniform float radius;
uniform vec4 paint;
DOMAIN coords;
RANGE vec4 element;

void main() {
    vec2 away = (floor(coords) + 0.5 - centre) / radius;
    float inside = max(1.0 - dot(away, away), 0.0);
    element = mix(value2(before, coords), paint, inside * inside);
}
