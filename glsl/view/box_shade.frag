// Formula:   light = colour (sky and ground + lit sun max(n.k, 0)) + glint, n that of a box with round edges
// Inputs:    what box_place or ground_place hands over; shadows (R = depth), light_x y z, key, offset; eye, or lines, fading
// Domain and range: the triangles of boxes, or with GROUND of the ground -> linear light, in alpha how much is covered
// Edges:     lit outside the shadow map
// Reference: Reeves, Salesin & Cook, Rendering Antialiased Shadows with Depth Maps, 1987; Blinn, 1977 (the glint)
uniform Stream shadows;
uniform vec4 light_x, light_y, light_z;
uniform vec3 key;
uniform float offset; // along the normal, so that a surface does not shade itself
in vec3 place;
RANGE vec4 light;

const vec3 SUN = vec3(1.05, 0.98, 0.86), SKY = vec3(0.30, 0.36, 0.46), EARTH = vec3(0.13, 0.11, 0.10);

// The part of the four texels around the place, as they are covered by one about it, that the light reaches.
float lit_part(vec3 normal) {
    vec4 p = vec4(place + offset * normal, 1.0);
    vec3 light_place = vec3(dot(light_x, p), dot(light_y, p), dot(light_z, p));
    vec2 at = (light_place.xy * 0.5 + 0.5) * shadows.extent.xy - 0.5, part = fract(at);
    at += 0.5 - part;
    vec4 stored = vec4(value2(shadows, at).x, value2(shadows, at + vec2(1.0, 0.0)).x,
                       value2(shadows, at + vec2(0.0, 1.0)).x, value2(shadows, at + vec2(1.0, 1.0)).x);
    vec4 lit = step(light_place.zzzz, stored);
    vec2 rows = mix(lit.xz, lit.yw, part.x);
    vec2 outside = step(0.99, abs(light_place.xy));
    return max(mix(rows.x, rows.y, part.y), max(outside.x, outside.y));
}

// Light of a surface of white: what comes from all around, and what the sun adds.
vec3 sunless(vec3 normal) {
    return mix(EARTH, SKY, 0.5 + 0.5 * normal.y);
}

vec3 sunlight(vec3 normal) {
    return smoothstep(0.0, 0.06, dot(normal, key)) * lit_part(normal) * SUN;
}

#if GROUND
uniform float lines;  // their distance
uniform float fading; // where there is no ground any more, from its middle
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
    vec3 colour = mix(vec3(0.19, 0.195, 0.205), vec3(0.06, 0.065, 0.075), grid);
    float cover = 1.0 - smoothstep(0.26, 1.0, length(away) / fading);
    return vec4(cover * colour * (sunless(UP) + sunlight(UP) * key.y), cover);
}
#else
uniform vec3 eye;
in vec3 inside, half_sides;
in vec4 turn, paint;

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
    vec3 colour = mix(paint.rgb, vec3(1.0, 0.85, 0.55), 0.5 * paint.a) * seam;
    vec3 between = normalize(key + normalize(eye - place));
    float glint = 0.12 * pow(max(dot(normal, between), 0.0), 40.0);
    vec3 sun = sunlight(face);
    vec3 lit = colour * (sunless(normal) + sun * max(dot(normal, key), 0.0)) + glint * sun;
    return vec4(lit + 0.35 * paint.a * vec3(1.0, 0.7, 0.3), 1.0);
}
#endif

void main() {
    light = seen();
}
