// Formula:   depth = light_z . (place, 1)
// Inputs:    place, light_z = the row of the light's matrix that is depth
// Domain and range: the triangles that the light sees -> the shadow map
// Edges:     none
// Reference: Williams, Casting Curved Shadows on Curved Surfaces, 1978
uniform vec4 light_z;
in vec3 place;
RANGE float depth;

void main() {
    depth = dot(light_z, vec4(place, 1.0));
}
