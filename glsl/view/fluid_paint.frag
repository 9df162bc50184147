// Formula:   sRGB of what SHADE says at a place: 0 dye, 1 a scalar, 2 |u|, 3 div u of its cell, 4 nothing; LIGHTS: of points over it
// Inputs:    solids (1 in them, else 0), field and spread of centres (0, 1); velocity and its offsets (2, 3); palette; lights; streamlines
// Domain and range: place in spacings from the south-west corner, pixel of the lights, streak of the streamlines -> the picture
// Edges:     a texel beyond the end is the last one, or the first of a periodic axis
// Reference: IEC 61966-2-1 (sRGB); Lupton et al., Preparing Red-Green-Blue Images from CCD Data, 2004 (the stretch)
uniform Stream solids;
uniform vec2 period;       // texels after which an axis begins anew, 0 for never
uniform vec2 first_centre; // of solids and scalars, in spacings
uniform float pixels;      // of the picture along a spacing
#if SHADE < 2
uniform Stream field;
#elif SHADE < 4
uniform Stream velocity;
uniform vec4 first_faces; // where the first u lies, and the first v, in spacings
#endif
#if SHADE == 3
uniform float spacing;
#endif
#if SHADE == 1
uniform vec4 channels;
#endif
#if SHADE > 0 && SHADE < 4
uniform Stream palette;
uniform vec2 low_high;
#endif
#if LINES
uniform float lines;
#endif
#if LIGHTS
uniform Stream lights;
uniform float white; // light that is told from no brighter one
DOMAIN pixel;
#endif
#if STREAMLINES
uniform Stream streamlines; // 0 to 1
DOMAIN streak;
#endif
DOMAIN place;
RANGE vec4 colour;

const vec3 SOLID = vec3(0.105, 0.145, 0.19), RIM = vec3(0.33, 0.39, 0.45), DARK = vec3(0.006, 0.008, 0.012);
const float DIMMED = 0.4;
const vec3 GLINT = vec3(0.03); // of lines over what is dark

vec2 texelCentre(Stream stream, vec2 texel) {
    vec2 around = texel - period * floor((texel + 0.5) / max(period, 1.0));
    return clamp(around, vec2(0.0), stream.extent.xy - 1.0) + 0.5;
}

// Weights of the texels low, low + (1, 0), low + (0, 1), low + (1, 1).
vec4 weights(vec2 part) {
    vec2 rest = 1.0 - part;
    return vec4(rest.x * rest.y, part.x * rest.y, rest.x * part.y, part.x * part.y);
}

#if SHADE == 2
// The value of a component of the velocity, whose first is that far from the corner. Faces half a spacing off a side are one fewer.
vec4 between(Stream stream, vec2 first) {
    vec2 at = place - first, low = floor(at);
    vec2 last = stream.extent.xy - 1.0 - step(0.25, first) * vec2(equal(period, vec2(0.0))) + 0.5;
    vec4 weight = weights(at - low);
    return weight.x * value2(stream, min(texelCentre(stream, low), last))
        + weight.y * value2(stream, min(texelCentre(stream, low + vec2(1.0, 0.0)), last))
        + weight.z * value2(stream, min(texelCentre(stream, low + vec2(0.0, 1.0)), last))
        + weight.w * value2(stream, min(texelCentre(stream, low + vec2(1.0, 1.0)), last));
}
#endif

#if STREAMLINES
float streakAt(vec2 texel) {
    return clamp(value2(streamlines, clamp(texel, vec2(0.0), streamlines.extent.xy - 1.0) + 0.5).x, 0.0, 1.0);
}
#endif

#if SHADE > 0 && SHADE < 4
vec3 mapped(float number) {
    float share = shareOf(number, low_high), shade = clamp(share, 0.0, 1.0);
    vec3 light = value2(palette, vec2(shade * 255.0 + 0.5, 0.5)).rgb;
#if LINES
    light = lined(light, lines * share, lines);
#endif
    return isnan(number) ? vec3(1.0, 0.0, 1.0) : light;
}
#endif

#if SHADE == 0
// Light that grows as dye does where there is little, and never whitens another colour: only far past 1 it pales.
vec3 toned(vec3 dye) {
    dye = max(dye, 0.0);
    float most = max(dye.r, max(dye.g, dye.b)), shown = 1.0 - exp(-1.6 * most);
    float pale = 0.5 * smoothstep(1.5, 6.0, most);
    return DARK * (1.0 - shown) + shown * mix(dye / max(most, 1e-6), vec3(1.0), pale);
}
#endif

vec3 encoded(vec3 x) {
    x = clamp(x, 0.0, 1.0);
    return mix(12.92 * x, 1.055 * pow(max(x, 1e-6), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, x));
}

void main() {
    vec2 at = place - first_centre, low = floor(at);
    vec2 ne = low + 1.0, se = vec2(ne.x, low.y), nw = vec2(low.x, ne.y);
    vec4 weight = weights(at - low);
    vec4 solid = vec4(value2(solids, texelCentre(solids, low)).x, value2(solids, texelCentre(solids, se)).x,
        value2(solids, texelCentre(solids, nw)).x, value2(solids, texelCentre(solids, ne)).x);
    float inside = dot(weight, solid);

#if SHADE < 2
    // A value in a solid is no part of the fluid beside it.
    vec4 open = weight * (1.0 - solid);
    open /= max(dot(open, vec4(1.0)), 1e-6);
    vec4 shown = open.x * value2(field, texelCentre(field, low)) + open.y * value2(field, texelCentre(field, se))
        + open.z * value2(field, texelCentre(field, nw)) + open.w * value2(field, texelCentre(field, ne));
#endif
#if SHADE == 0
    vec3 light = toned(shown.rgb);
#elif SHADE == 1
    vec3 light = mapped(dot(channels, mix(vec4(0.0), shown, notEqual(channels, vec4(0.0)))));
#elif SHADE == 2
    vec2 u = vec2(between(velocity, first_faces.xy).x, between(velocity, first_faces.zw).y);
    vec3 light = mapped(length(u));
#elif SHADE == 3
    vec2 cell = floor(place);
    vec2 here = value2(velocity, texelCentre(velocity, cell)).xy;
    vec2 east = value2(velocity, texelCentre(velocity, cell + vec2(1.0, 0.0))).xy;
    vec2 north = value2(velocity, texelCentre(velocity, cell + vec2(0.0, 1.0))).xy;
    float leaving = east.x - here.x + north.y - here.y;
    if (first_faces.y == 0.0) { // nodes: a side of the cell has the mean of its two ends
        vec2 far = value2(velocity, texelCentre(velocity, cell + vec2(1.0, 1.0))).xy;
        leaving = 0.5 * (leaving + far.x - north.x + far.y - east.y);
    }
    vec3 light = mapped(leaving / spacing);
#else
    vec3 light = DARK;
#endif
#if STREAMLINES
    vec2 texel = streak - 0.5, corner = floor(texel);
    vec4 share = weights(texel - corner);
    float shade = share.x * streakAt(corner) + share.y * streakAt(corner + vec2(1.0, 0.0))
        + share.z * streakAt(corner + vec2(0.0, 1.0)) + share.w * streakAt(corner + vec2(1.0, 1.0));
    light = light * mix(0.35, 1.65, shade) + GLINT * shade * shade;
#endif
#if LIGHTS
    light *= DIMMED; // or points would not be seen on what is white
#endif
    // An edge is a pixel wide; where cells are smaller than pixels it is as wide as a cell.
    float body = clamp((inside - 0.5) * max(pixels, 1.0) + 0.5, 0.0, 1.0), deep = smoothstep(0.75, 1.0, inside);
    light = mix(light, mix(RIM, SOLID, deep), body);
#if LIGHTS
    vec3 points = value2(lights, pixel).rgb;
    float most = max(points.r, max(points.g, points.b)), lit = min(asinh(most) / asinh(white), 1.0);
    light = mix(light, points / max(most, 1e-6), lit);
#endif
    colour = vec4(encoded(light), 1.0);
}
