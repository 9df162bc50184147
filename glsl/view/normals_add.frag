// Formula:   added = normal
// Inputs:    what normals_place hands over
// Domain and range: the texels of vertices, to be added
// Edges:     none
// Reference: house
in vec3 normal;
RANGE vec4 added;

void main() {
    added = vec4(normal, 0.0);
}
