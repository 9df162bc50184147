// Formula:   amount (1 - r^2/radius^2)^2 within the radius, 0 beyond
// Inputs:    centre and radius (cells), amount (K, kg/kg)
// Domain and range: the square around the disc, added to the air
// Edges:     none
// Reference: the mouse
uniform vec2 centre;
uniform float radius;
uniform vec2 amount;
DOMAIN at;
RANGE vec4 added;

void main() {
    vec2 way = (at - centre) / radius;
    float part = max(1.0 - dot(way, way), 0.0);
    added = vec4(part * part * amount, 0.0, 0.0);
}
