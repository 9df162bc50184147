// Formula:   texel (i, p) = sum over the bodies j of part p of (m_j d / s^3, -m_j / s), d = x_j - x_i, s^2 = |d|^2 + e^2; 0 for the last without POTENTIAL
// Inputs:    bodies (folded array: place and mass), squared_softening (e^2), first (body, part), count (bodies) or parts
// Domain and range: a tile: bodies that are pulled across, parts of those that pull down
// Edges:     no body pulls another at its very place, so none pulls itself; beyond the array there is no mass
// Reference: Harris, course slides, Computing Gravitational Forces: towards j, and by m_j alone, as F_i / m_i asks for
//
// SOURCES > 0: a part is so many neighbours of the array; 1 makes the N x N texture of the slides.
// SOURCES = 0: a part is every row of the array that is `parts` further than the last, so that parts side by side are
// drawn from texels side by side; gone through by loops. Fetching takes most of the time, so a body that is fetched may pull
// four, TARGETS, each in a tile of its own and `across` further than the last. WIDTH is that of the array.
// A force of d = 0 is 0 without a test where m / e^3 is a float: SOFTENED. Its potential is not, so POTENTIAL tests.
uniform Stream bodies;
uniform vec2 first;
uniform float squared_softening;
#if SOURCES == 0
uniform float parts;
#else
uniform float count;
#endif
DOMAIN at;
RANGE vec4 pull;
DECLARE_OTHERS
#if TARGETS == 4
uniform float across;
#define EACH(act) act(0) act(1) act(2) act(3)
#else
#define across 0.0
#define EACH(act) act(0)
#endif

#if POTENTIAL == 1
#define PULL vec4
#define AS_TEXEL(sum) sum
#else
#define PULL vec3
#define AS_TEXEL(sum) vec4(sum, 0.0)
#endif

vec3 here[TARGETS];
PULL sum[TARGETS];
PULL of_row[TARGETS]; // sums of sums: fewer roundings one upon the other

PULL pull_of(vec4 body, vec3 here) {
    vec3 d = body.xyz - here;
    float squared = dot(d, d);
    float inverse = inversesqrt(squared + squared_softening);
#if POTENTIAL == 1 || SOFTENED == 0
    inverse = squared > 0.0 ? inverse : 0.0;
#endif
    float potential = body.w * inverse;
    vec3 force = potential * inverse * inverse * d;
#if POTENTIAL == 1
    return vec4(force, -potential);
#else
    return force;
#endif
}

#define START(t) here[t] = value(bodies, place.x + float(t) * across).xyz; sum[t] = PULL(0.0);
#define START_ROW(t) of_row[t] = PULL(0.0);
#define ADD(t) of_row[t] += pull_of(body, here[t]);
#define END_ROW(t) sum[t] += of_row[t];

void main() {
    vec2 place = first + floor(at);
    vec4 body;
    EACH(START)
#if SOURCES == 0
    float begin = place.y < parts ? place.y : bodies.extent.y; // a tile may be higher than what is left
    for (float row = begin; row < bodies.extent.y; row += parts) {
        EACH(START_ROW)
        float column = 0.5;
        for (; column < float(WIDTH) - 3.0; column += 4.0) {
            vec2 address = addressOf(bodies, vec2(column, row + 0.5));
            body = textureLod(bodies.texels, address, 0.0);
            EACH(ADD)
            body = textureLodOffset(bodies.texels, address, 0.0, ivec2(1, 0));
            EACH(ADD)
            body = textureLodOffset(bodies.texels, address, 0.0, ivec2(2, 0));
            EACH(ADD)
            body = textureLodOffset(bodies.texels, address, 0.0, ivec2(3, 0));
            EACH(ADD)
        }
        for (; column < float(WIDTH); column += 1.0) {
            body = value2(bodies, vec2(column, row + 0.5));
            EACH(ADD)
        }
        EACH(END_ROW)
    }
#else
    for (int k = 0; k < SOURCES; k++) { // of constant length: where there are no loops it is written out
        float source = place.y * float(SOURCES) + float(k);
        body = value(bodies, source);
        sum[0] += source < count ? pull_of(body, here[0]) : PULL(0.0);
    }
#endif
    pull = AS_TEXEL(sum[0]);
#if TARGETS == 4
    pull_1 = AS_TEXEL(sum[1]);
    pull_2 = AS_TEXEL(sum[2]);
    pull_3 = AS_TEXEL(sum[3]);
#endif
}
