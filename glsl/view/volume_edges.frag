// Formula:   a ray's light where those of the four neighbours are like it: roots of light differ by ALIKE at most; nothing elsewhere
// Inputs:    rays (linear light, alpha = covered), one a pixel
// Domain and range: all pixels
// Edges:     clamp
// Reference: Whitted, An Improved Illumination Model for Shaded Display, 1980 (more rays where they differ)
uniform Stream rays;
DOMAIN at;
RANGE vec4 light;

const float ALIKE = 0.18;

vec4 roots(vec4 found) {
    return sqrt(clamp(found, 0.0, 1.0));
}

void main() {
    vec4 here = value2(rays, at), own = roots(here);
    vec4 west = roots(valueOffset(rays, at, ivec2(-1, 0))), east = roots(valueOffset(rays, at, ivec2(1, 0)));
    vec4 north = roots(valueOffset(rays, at, ivec2(0, -1))), south = roots(valueOffset(rays, at, ivec2(0, 1)));
    vec4 most = max(own, max(max(west, east), max(north, south)));
    vec4 least = min(own, min(min(west, east), min(north, south))), apart = most - least;
    if (max(max(apart.r, apart.g), max(apart.b, apart.a)) > ALIKE) discard;
    light = here;
}
