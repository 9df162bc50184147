// Formula:   light = colour (sky and ground + lit sun max(n.k, 0)) + glint, n that of a box with round edges
// Inputs:    place, inside, half_sides, turn, paint of box_place; shadows (R = depth), light_x y z, key, offset, eye, lines
// Domain and range: the triangles of boxes and ground -> linear light, with what the ground covers in alpha
// Edges:     lit outside the shadow map
// Reference: Reeves, Salesin & Cook, Rendering Antialiased Shadows with Depth Maps, 1987; Blinn, 1977 (the glint)
uniform Stream shadows;
uniform vec4 light_x, light_y, light_z;
uniform vec4 ground;
uniform vec3 key, eye;
uniform float offset; // along the normal, so that a surface does not shade itself
uniform float lines;  // distance of the lines on the ground
in vec3 place, inside, half_sides;
in vec4 turn, paint;
RANGE vec4 light;

const vec3 SUN = vec3(1.05, 0.98, 0.86), SKY = vec3(0.30, 0.36, 0.46), EARTH = vec3(0.13, 0.11, 0.10);

vec3 turned(vec4 q, vec3 v) {
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

// The part of 3 x 3 texels around the place, those of the rim as far as they are covered, that the light reaches.
float lit_part(vec3 normal) {
    vec4 p = vec4(place + offset * normal, 1.0);
    vec2 across = vec2(dot(light_x, p), dot(light_y, p));
    if (any(greaterThan(abs(across), vec2(0.99)))) {
        return 1.0;
    }
    float depth = dot(light_z, p);
    vec2 at = (across * 0.5 + 0.5) * shadows.extent.xy;
    vec2 part = fract(at);
    float sum = 0.0;
    for (float y = -1.0; y < 1.5; y += 1.0) {
        for (float x = -1.0; x < 1.5; x += 1.0) {
            vec2 weight = vec2(x < -0.5 ? 1.0 - part.x : x > 0.5 ? part.x : 1.0,
                               y < -0.5 ? 1.0 - part.y : y > 0.5 ? part.y : 1.0);
            sum += weight.x * weight.y * step(depth, value2(shadows, at + vec2(x, y)).x);
        }
    }
    return 0.25 * sum;
}

vec3 surface(vec3 colour, vec3 flat_normal, vec3 normal, float shine) {
    vec3 ambient = mix(EARTH, SKY, 0.5 + 0.5 * normal.y);
    float facing = smoothstep(0.0, 0.06, dot(flat_normal, key));
    float lit = facing > 0.0 ? facing * lit_part(flat_normal) : 0.0;
    vec3 middle = normalize(key + normalize(eye - place));
    float glint = shine * pow(max(dot(normal, middle), 0.0), 40.0);
    return colour * (ambient + lit * SUN * max(dot(normal, key), 0.0)) + lit * glint * SUN;
}

// How much of a line of that width a pixel sees: smoothed over the pixel, and fainter where lines are thinner.
float line(vec2 at, vec2 pixel, float width) {
    vec2 away = abs(fract(at - 0.5) - 0.5);
    vec2 seen = 1.0 - smoothstep(0.5 * width - 0.5 * pixel, 0.5 * width + pixel, away);
    seen *= min(width / pixel, 1.0);
    return max(seen.x, seen.y);
}

vec4 on_ground(vec2 at, vec2 pixel) {
    float grid = max(0.35 * line(at, pixel, 0.03), 0.6 * line(at * 0.2, pixel * 0.2, 0.01));
    vec3 colour = mix(vec3(0.19, 0.195, 0.205), vec3(0.06, 0.065, 0.075), grid);
    float cover = 1.0 - smoothstep(0.25, 0.95, length(inside.xz) / ground.w);
    return vec4(cover * surface(colour, vec3(0.0, 1.0, 0.0), vec3(0.0, 1.0, 0.0), 0.0), cover);
}

vec4 on_box() {
    // The normal of a box with edges of radius `bevel`: on a face one component of `over` is that, at an edge two.
    float bevel = 0.09 * min(half_sides.x, min(half_sides.y, half_sides.z));
    vec3 over = max(abs(inside) - half_sides + bevel, 0.0) * sign(inside);
    vec3 biggest = step(max(max(abs(over.x), abs(over.y)), abs(over.z)), abs(over) * 1.0001);
    vec3 own = turned(turn, normalize(biggest * over)), normal = turned(turn, normalize(over));
    // The distance from the nearest edge of this face: of the three gaps to the sides that which lies between.
    vec3 gap = half_sides - abs(inside);
    float edge = gap.x + gap.y + gap.z - min(gap.x, min(gap.y, gap.z)) - max(gap.x, max(gap.y, gap.z));
    float seam = 1.0 - 0.45 * (1.0 - smoothstep(0.25 * bevel, 1.6 * bevel, edge));
    vec3 colour = mix(paint.rgb, vec3(1.0, 0.85, 0.55), 0.5 * paint.a) * seam;
    return vec4(surface(colour, own, normal, 0.12) + 0.35 * paint.a * vec3(1.0, 0.7, 0.3), 1.0);
}

void main() {
    vec2 at = place.xz / lines, pixel = max(fwidth(at), 1e-6); // here, where all fragments are
    light = half_sides.x > 0.0 ? on_box() : on_ground(at, pixel);
}
