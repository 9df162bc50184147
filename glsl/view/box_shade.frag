// Formula:   light = colour (open (sky and ground) + lit sun max(n.k, 0)) + glint, n that of a box with round edges
// Inputs:    what box_place or ground_place hands over; shadows (R = depth), light_x y z, key, offset; opened (R = open: box_open.frag); eye, or lines, fading, reach
// Domain and range: the triangles of boxes, or with GROUND of the ground -> linear light, in alpha how much is covered
// Edges:     the nearest texel of both maps, at whose rims there are no boxes but what has flown far away
// Reference: Reeves, Salesin & Cook, Rendering Antialiased Shadows with Depth Maps, 1987; Blinn, 1977 (the glint)
uniform Stream shadows, opened;
uniform vec4 light_x, light_y, light_z;
uniform vec3 key;
uniform float offset; // along the normal, so that a surface does not shade itself
in vec3 place;
RANGE vec4 light;

const vec3 SUN = vec3(1.32, 1.16, 0.92), SKY = vec3(0.30, 0.37, 0.50), EARTH = vec3(0.17, 0.14, 0.12);
const float DARKEST = 0.1; // what boxes throw at each other where they hide all of the sky

// The weights of a quadratic B-spline: a shadow has a soft edge without stairs.
vec3 weights(float part) {
    return vec3(0.5 * (0.5 - part) * (0.5 - part), 0.75 - part * part, 0.5 * (0.5 + part) * (0.5 + part));
}

// The part of the nine texels around the place that the light reaches.
float lit_part(vec3 normal) {
    vec4 p = vec4(place + offset * normal, 1.0);
    vec3 light_place = vec3(dot(light_x, p), dot(light_y, p), dot(light_z, p));
    vec2 at = (light_place.xy * 0.5 + 0.5) * shadows.extent.xy, middle = floor(at) + 0.5;
    vec3 across = weights(at.x - middle.x), along = weights(at.y - middle.y);
    float lit = 0.0;
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) {
            float stored = value2(shadows, middle + vec2(float(i) - 1.0, float(j) - 1.0)).x;
            lit += across[i] * along[j] * step(light_place.z, stored);
        }
    }
    return lit;
}

// The part of the sky that is open, between four texels of a map, of which all are at least `first` and none beyond `last`.
float open_part(vec2 at, vec2 first, vec2 last) {
    vec2 texel = clamp(at - 0.5, first, last - 1.0), low = min(floor(texel), last - 2.0), part = texel - low;
    low += 0.5;
    vec4 four = vec4(value2(opened, low).x, value2(opened, low + vec2(1.0, 0.0)).x,
                     value2(opened, low + vec2(0.0, 1.0)).x, value2(opened, low + vec2(1.0, 1.0)).x);
    vec2 rows = mix(four.xz, four.yw, part.x);
    return mix(rows.x, rows.y, part.y);
}

// Light of a surface of white: what comes from all around, and what the sun adds.
vec3 sunless(vec3 normal, float open) {
    return mix(EARTH, SKY, 0.5 + 0.5 * normal.y) * mix(DARKEST, 1.0, open);
}

vec3 sunlight(vec3 normal) {
    return smoothstep(0.0, 0.06, dot(normal, key)) * lit_part(normal) * SUN;
}

#if GROUND
uniform float lines;  // their distance
uniform float fading; // where there is no ground any more, from its middle
uniform float reach;  // half a side of the map of the sky, around the middle
in vec2 away;         // from there

// How much of a line of that width a pixel sees: smoothed over the pixel, and fainter where lines are thinner.
float line(vec2 at, vec2 pixel, float width) {
    vec2 beside = abs(fract(at - 0.5) - 0.5);
    vec2 drawn = 1.0 - smoothstep(0.5 * width - 0.5 * pixel, 0.5 * width + pixel, beside);
    drawn *= min(width / pixel, 1.0);
    return max(drawn.x, drawn.y);
}

vec4 seen() {
    const vec3 UP = vec3(0.0, 1.0, 0.0);
    vec2 at = place.xz / lines, pixel = max(fwidth(at), 1e-6);
    float grid = max(0.35 * line(at, pixel, 0.03), 0.6 * line(at * 0.2, pixel * 0.2, 0.01));
    vec3 colour = mix(vec3(0.33, 0.29, 0.225), vec3(0.13, 0.115, 0.095), grid);
    float cover = 1.0 - smoothstep(0.26, 1.0, length(away) / fading);
    float open = open_part((0.5 * away / reach + 0.5) * opened.extent.xy, vec2(0.0), opened.extent.xy);
    return vec4(cover * colour * (sunless(UP, open) + sunlight(UP) * key.y), cover);
}
#else
uniform vec3 eye;
in vec3 inside, half_sides;
in vec4 turn, paint, chart;
uniform float texels; // along a side of a face

vec3 turned(vec4 q, vec3 v) {
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

vec4 seen() {
    // The normal of a box with edges of radius `bevel`: on a face one component of `over` is that, at an edge two.
    float bevel = 0.09 * min(half_sides.x, min(half_sides.y, half_sides.z));
    vec3 over = max(abs(inside) - half_sides + bevel, 0.0) * sign(inside);
    vec3 own = step(max(max(abs(over.x), abs(over.y)), abs(over.z)), abs(over) * 1.0001) * over;
    vec3 face = turned(turn, normalize(own)), normal = turned(turn, normalize(over));
    // The distance from the nearest edge of this face: of the three gaps to the sides that which lies between.
    vec3 gap = half_sides - abs(inside);
    float edge = gap.x + gap.y + gap.z - min(gap.x, min(gap.y, gap.z)) - max(gap.x, max(gap.y, gap.z));
    float seam = 1.0 - 0.45 * (1.0 - smoothstep(0.25 * bevel, 1.6 * bevel, edge));
    // Rings of wood, other ones in each colour, the same along each axis of a cube.
    vec3 ring = (7.0 + 9.0 * paint.rgb.g) * inside;
    ring *= 1.0 + 0.25 * cos(0.8 * ring.yzx);
    float grain = dot(cos(ring), cos(1.7 * ring.yzx));
    vec3 colour = mix(paint.rgb * (1.0 + 0.08 * grain), vec3(1.0, 0.85, 0.55), 0.5 * paint.a) * seam;
    vec3 between = normalize(key + normalize(eye - place));
    float shine = pow(max(dot(normal, between), 0.0), 3.0);
    shine *= shine;
    shine *= shine;
    float glint = 0.16 * shine * shine;
    vec3 sun = sunlight(face);
    vec2 corner = floor(chart.zw + 0.5);
    float open = open_part(corner + chart.xy, corner, corner + texels);
    vec3 lit = colour * (sunless(normal, open) + sun * max(dot(normal, key), 0.0)) + glint * sun;
    return vec4(lit + 0.35 * paint.a * vec3(1.0, 0.7, 0.3), 1.0);
}
#endif

void main() {
    light = seen();
}
