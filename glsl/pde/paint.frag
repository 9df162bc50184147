// Formula:   element = before + w (paint - before) in the chosen component; w = 1 inside the disc or the square, of a soft disc (1 - (d / radius)^2)^2
// Inputs:    state (width x height, a component a field), centre and radius (nodes), square and soft (1 or 0), paint, chosen (1 in the component)
// Domain and range: all nodes -> as many
// Edges:     none: what lies beyond an edge is no node
// Reference: the mouse
uniform Stream state;
uniform vec2 centre;
uniform float radius, square, soft, paint;
uniform vec4 chosen;
DOMAIN coords;
RANGE vec4 element;

void main() {
    vec4 before = value2(state, coords);
    // The middle of the texel, which a card interpolates to a few units in the last place.
    vec2 away = floor(coords) + 0.5 - centre;
    float far = square > 0.5 ? max(away.x * away.x, away.y * away.y) : dot(away, away);
    float inside = soft > 0.5 ? 1.0 - far / max(radius * radius, 1e-12) : 1.0;
    element = far <= radius * radius ? mix(before, vec4(paint), chosen * (inside * inside)) : before;
}
