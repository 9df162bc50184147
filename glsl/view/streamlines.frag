// Formula:   1/2 + contrast min(s / slow, 1) (m - 1/2), m the mean of the picture along the streamline, STEPS texels either way
// Inputs:    picture (0 to 1), direction and speed s (vec3) of as many texels, size; periodic (1 or 0), contrast, slow speed
// Domain and range: all texels -> as many
// Edges:     clamp; a periodic axis begins anew
// Reference: Cabral and Leedom, Imaging Vector Fields Using Line Integral Convolution, SIGGRAPH 1993
uniform Stream picture, direction;
uniform vec2 size, periodic;
uniform float contrast, slow;
DOMAIN coords;
RANGE float shade;

vec2 again(vec2 place) {
    return place - periodic * size * floor(place / size);
}

void main() {
    vec3 here = value2(direction, coords).xyz;
    float sum = value2(picture, coords).x;
    vec2 down = coords, up = coords;
    vec2 ahead = here.xy, behind = here.xy;
    for (int step = 0; step < STEPS; step++) {
        down = again(down + ahead);
        up = again(up - behind);
        sum += value2(picture, down).x + value2(picture, up).x;
        ahead = value2(direction, down).xy;
        behind = value2(direction, up).xy;
    }
    float mean = sum / (2.0 * float(STEPS) + 1.0);
    shade = 0.5 + contrast * min(here.z / slow, 1.0) * (mean - 0.5);
}
