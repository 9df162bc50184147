// Formula:   added = light
// Inputs:    what particles_place hands over
// Domain and range: the texels of points -> linear light, to be added
// Edges:     none
// Reference: house
in vec3 light;
RANGE vec4 added;

void main() {
    added = vec4(light, 0.0);
}
