// Formula:   texel (i, p) = sum over the bodies j of part p of (m_j d / s^3, -m_j / s), d = x_j - x_i, s^2 = |d|^2 + e^2
// Inputs:    bodies (folded array: place and mass), squared_softening (e^2), first (body, part), count (bodies), rows (a part)
// Domain and range: a tile: bodies that are pulled across, parts of those that pull down
// Edges:     no body pulls another at its very place, so none pulls itself; beyond the array there is no mass
// Reference: Harris, course slides, Computing Gravitational Forces: towards j, and by m_j alone, as F_i / m_i asks for
//
// SOURCES > 0: a part is so many neighbours of the array; 1 makes the N x N texture of the slides.
// SOURCES = 0: a part is `rows` rows of the array, gone through by loops.
uniform Stream bodies;
uniform vec2 first;
uniform float squared_softening;
#if SOURCES == 0
uniform float rows;
#else
uniform float count;
#endif
DOMAIN at;
RANGE vec4 pull;

vec4 pull_of(vec4 body, vec3 here) {
    vec3 d = body.xyz - here;
    float squared = dot(d, d);
    float inverse = squared > 0.0 ? inversesqrt(squared + squared_softening) : 0.0;
    float potential = body.w * inverse;
    return vec4(potential * inverse * inverse * d, -potential);
}

void main() {
    vec2 place = first + floor(at);
    vec3 here = value(bodies, place.x).xyz;
    vec4 sum = vec4(0.0);
#if SOURCES == 0
    float end = min((place.y + 1.0) * rows, bodies.extent.y);
    for (float row = place.y * rows; row < end; row += 1.0) {
        vec4 of_row = vec4(0.0); // sums of sums: fewer roundings one upon the other
        for (float column = 0.0; column < bodies.extent.x; column += 1.0) {
            of_row += pull_of(value2(bodies, vec2(column, row) + 0.5), here);
        }
        sum += of_row;
    }
#else
    for (int k = 0; k < SOURCES; k++) { // of constant length: where there are no loops it is written out
        float source = place.y * float(SOURCES) + float(k);
        sum += source < count ? pull_of(value(bodies, source), here) : vec4(0.0);
    }
#endif
    pull = sum;
}
