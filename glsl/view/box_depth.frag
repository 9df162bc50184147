// Formula:   depth = light_z . (place, 1)
// Inputs:    place, light_z = the row of the light's matrix that is depth; SKIES: seen, which has it
// Domain and range: the triangles that the light sees -> the shadow map
// Edges:     none
// Reference: Williams, Casting Curved Shadows on Curved Surfaces, 1978
#if SKIES
in vec3 seen; // across and up its tile, -1 to 1, and how deep
#else
uniform vec4 light_z;
in vec3 place;
#endif
RANGE float depth;

void main() {
#if SKIES
    if (max(abs(seen.x), abs(seen.y)) > 1.0) discard; // the next tile
    depth = seen.z;
#else
    depth = dot(light_z, vec4(place, 1.0));
#endif
}
