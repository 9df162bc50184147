// Formula:   element = paint inside the disc, in the chosen component; else as it was
// Inputs:    state (width x height, a component a field), centre and radius (nodes), paint, chosen (1 in the component)
// Domain and range: all nodes -> as many
// Edges:     none: what lies beyond an edge is no node
// Reference: the mouse
uniform Stream state;
uniform vec2 centre;
uniform float radius, paint;
uniform vec4 chosen;
DOMAIN coords;
RANGE vec4 element;

void main() {
    vec4 before = value2(state, coords);
    // The middle of the texel, which a card interpolates to a few units in the last place.
    vec2 away = floor(coords) + 0.5 - centre;
    element = dot(away, away) <= radius * radius ? mix(before, vec4(paint), chosen) : before;
}
