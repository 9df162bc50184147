// Formula:   (d, s): d = w / |w|, w = u in texels of the picture, s = |u| as a part of `most`, 1 at most; 0 where nothing flows
// Inputs:    velocity (two components), where its first u and v lie and how many of each there are, most (|u|), texels a spacing
// Domain and range: place in spacings from the south-west corner -> a texel of the streamlines
// Edges:     beyond the lattice the outermost element; a periodic axis begins anew
// Reference: house
uniform Stream velocity;
uniform vec4 first_faces, counts;
uniform vec2 periodic, texels;
uniform float most;
DOMAIN place;
RANGE vec3 direction;

void main() {
    vec2 u = vec2(
        betweenFour(aroundPlace(velocity, vec2(0.0), place - first_faces.xy, counts.xy, periodic)).x,
        betweenFour(aroundPlace(velocity, vec2(0.0), place - first_faces.zw, counts.zw, periodic)).y);
    float speed = length(u);
    // NaN and infinite velocities do not flow.
    direction = speed > 1e-30 && speed < 1e30
        ? vec3(normalize(u / speed * texels), min(speed / most, 1.0)) : vec3(0.0);
}
