// Formula:   light (1 - r^2)^sharpness inside the disc, r the distance from its middle in radii
// Inputs:    what glow_place hands over
// Domain and range: the triangles of bodies -> linear light, to be added; it covers nothing
// Edges:     none
// Reference: house
in vec2 away;
in vec3 light;
in float sharpness;
RANGE vec4 added;

void main() {
    float inside = max(1.0 - dot(away, away), 1e-6);
    added = vec4(pow(inside, sharpness) * light, 0.0);
}
