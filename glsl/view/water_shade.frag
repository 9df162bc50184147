// Formula:   colour = mix(water, sky(reflected), F) + sun, F = F0 + (1 - F0) (1 - n.v)^5
// Inputs:    place, water = (height, slopes, wild), below; eye, steepness (world slope of a slope of 1), half_sides
// Domain and range: the triangles of the mesh -> linear light, with 1 in alpha
// Edges:     none
// Reference: Schlick, An Inexpensive BRDF Model, 1994; the water surface of Krueger & Westermann, 44.4
uniform vec3 eye;
uniform float steepness;
uniform vec2 half_sides;
in vec3 place;
in vec4 water;
in float below;
RANGE vec4 light;

const vec3 SUN = vec3(-0.70, 0.55, -0.46); // towards it, of length 1
const vec3 DEEP = vec3(0.004, 0.035, 0.07), SHALLOW = vec3(0.02, 0.22, 0.26), BROKEN = vec3(0.6, 0.0, 0.6);

vec3 sky(vec3 way) {
    vec3 horizon = vec3(0.72, 0.82, 0.92), zenith = vec3(0.10, 0.28, 0.62);
    return mix(horizon, zenith, sqrt(clamp(way.y, 0.0, 1.0)));
}

vec3 surface(float height, vec2 slope) {
    vec3 normal = normalize(vec3(-slope.x, 1.0, -slope.y)), view = normalize(eye - place);
    float facing = clamp(dot(normal, view), 0.0, 1.0);
    float fresnel = 0.02 + 0.98 * pow(1.0 - facing, 5.0);
    vec3 mirrored = reflect(-view, normal);
    mirrored.y = abs(mirrored.y);
    float glint = max(dot(mirrored, SUN), 0.0);
    // Crests let more light through than troughs; height / (1 + |height|) keeps any height in bounds.
    float crest = 0.5 + 0.5 * height / (1.0 + abs(height));
    vec3 body = mix(DEEP, SHALLOW, crest * crest) * (0.45 + 0.9 * max(dot(normal, SUN), 0.0));
    return mix(body, sky(mirrored), fresnel) + vec3(1.0, 0.93, 0.8) * (3.0 * pow(glint, 400.0) + 0.12 * pow(glint, 24.0));
}

vec3 wall(float depth) {
    // The walls along x and along z are lit differently, so that their corner shows.
    vec2 gap = abs(abs(place.xz) - half_sides);
    float lit = gap.x < gap.y ? 0.75 : 1.0;
    return mix(SHALLOW, DEEP, sqrt(depth)) * lit;
}

void main() {
    if (below > 0.0 && !gl_FrontFacing) {
        discard; // a wall behind the water, seen from within
    }
    vec3 colour = below > 0.0 ? wall(below) : surface(4.0 * water.x, steepness * water.yz);
    light = vec4(mix(colour, BROKEN, water.w), 1.0);
}
