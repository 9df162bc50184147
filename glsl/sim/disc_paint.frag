// Formula:   element = paint inside the disc, or the square, of that centre and radius, unchanged outside
// Inputs:    centre (texels), radius (texels), square (1 for a square, else 0), paint (as many components as the target has)
// Domain and range: the square around the disc, drawn into the state itself
// Edges:     none
// Reference: the mouse
uniform vec2 centre;
uniform float radius, square;
uniform vec4 paint;
DOMAIN coords;
RANGE vec4 element;

void main() {
    // The middle of the texel, which a card interpolates to a few units in the last place.
    vec2 away = floor(coords) + 0.5 - centre;
    float far = square > 0.5 ? max(away.x * away.x, away.y * away.y) : dot(away, away);
    if (far > radius * radius) {
        discard;
    }
    element = paint;
}
