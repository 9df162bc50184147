// Formula:   along each ray: SMOKE 0: the first place where phi < 0, what it mirrors and what lies behind it exp(-k s); SMOKE 1: sum of light d exp(-absorption sum of d), d = 3 q^2 - 2 q^3; HOT: and of the light of soot, exp(-c/(lambda T)) for three colours, T = (300 + 2000 heat) K; REFINED: the mean of four rays
// Inputs:    corners of phi or q; SMOKE: corners of the light in it; HOT: corners of the heat; tiles, voxels of the box; eye, ray at the upper left, across, down; REFINED: the sides of a pixel
// Domain and range: places of the picture, 0 to 1 -> linear light, in alpha how much is covered
// Edges:     nothing beyond the box but its floor, and for water its walls
// Reference: Levoy, Display of Surfaces from Volume Data, 1988 (front to back); Schlick 1994 (Fresnel); Wien 1896 (the glow of soot); Whitted 1980 (more rays where they differ)
uniform Stream field;
#if SMOKE
uniform Stream shade;
uniform float absorption; // a voxel
#if HOT
uniform Stream heat;
#endif
#endif
uniform vec3 tiles, size; // z is up
uniform vec3 eye, upper_left, across, down;
DOMAIN place;
RANGE vec4 light;

const vec3 SUN = vec3(1.05, 0.98, 0.86), KEY = vec3(-0.45, 0.35, 0.82);

float at(Stream corners, vec3 p) {
    return betweenVoxels(corners, p - 0.5, size - 1.0, tiles);
}

// Where a ray enters the box and where it leaves it.
vec2 crossing(vec3 from, vec3 along) {
    vec3 safe = mix(along, vec3(1e-6), step(abs(along), vec3(1e-6)));
    vec3 a = -from / safe, b = (size - from) / safe, low = min(a, b), high = max(a, b);
    return vec2(max(max(low.x, low.y), max(low.z, 0.0)), min(high.x, min(high.y, high.z)));
}

// How much of one of the twelve edges of the box is seen at a place on its surface.
float edged(vec3 p) {
    vec3 gap = min(p, size - p);
    float second = gap.x + gap.y + gap.z - min(gap.x, min(gap.y, gap.z)) - max(gap.x, max(gap.y, gap.z));
    float width = 0.006 * max(size.x, max(size.y, size.z));
    return 1.0 - smoothstep(0.5 * width, 1.5 * width, second);
}

#if SMOKE
const vec3 FRAME = vec3(0.42, 0.46, 0.50);
#else
const vec3 FRAME = vec3(0.16, 0.19, 0.22);
#endif

// The floor of the box, and, of water, its walls, with lines at eighths of its longest side, where a ray from within leaves at p.
vec4 ground(vec3 p, float lit) {
    float longest = max(size.x, max(size.y, size.z)), unit = longest / 8.0, near = 1e-3 * unit;
    bool floored = p.z < near, across = min(p.x, size.x - p.x) < near;
    vec2 on = floored ? p.xy : across ? p.yz : p.xz;
    vec2 beside = abs(fract(on / unit - 0.5) - 0.5) * unit;
    float line = 1.0 - smoothstep(0.0, 0.05 * unit, min(beside.x, beside.y));
#if SMOKE
    vec3 colour = mix(vec3(0.33, 0.32, 0.30), vec3(0.16, 0.165, 0.17), line);
    float there = step(p.z, near);
#else
    vec3 colour = mix(vec3(0.62, 0.64, 0.63), vec3(0.22, 0.30, 0.34), 0.8 * line);
    vec3 wall = mix(vec3(0.34, 0.43, 0.50), vec3(0.20, 0.28, 0.34), 0.8 * line) * (across ? 0.62 : 0.80);
    // Light from around is less in corners.
    float corner = 1.0 - 0.35 * exp(-9.0 * p.z / longest);
    colour = floored ? colour : wall * corner;
    float there = step(p.z, size.z - near);
#endif
    return mix(vec4(colour * (0.25 + 0.75 * lit), 1.0) * there, vec4(FRAME, 1.0), 0.7 * edged(p));
}

#if SMOKE
// Those that glow ask for two fetches more where there is smoke, and are fewer.
const int STEPS = HOT == 1 ? 80 : 96;

// How much of the light smoke keeps, beside that which hides all: that of a fire is thin. How bright soot is at 2300 K.
const float THICK = HOT == 1 ? 0.22 : 1.0, BRIGHT = 45.0;

// The density that is seen: what transport has blurred has its rim again.
float dense(vec3 p) {
    float q = clamp(at(field, p), 0.0, 1.0);
    return q * q * (3.0 - 2.0 * q);
}

#if HOT
// The glow of soot by Wien's law at 610, 550 and 465 nm, 1 for red at 2300 K.
vec3 glowing(float hot) {
    float kelvins = 300.0 + 2000.0 * clamp(hot, 0.0, 1.0);
    return exp(vec3(23590.0, 26160.0, 30940.0) * (1.0 / 2300.0 - 1.0 / kelvins)) * vec3(1.0, 0.33, 0.041);
}
#endif

vec4 seen(vec3 along, vec2 way) {
    float stride = (way.y - way.x) / float(STEPS), left = 1.0;
    // Towards the sun smoke thins on its lit side: the slope stands for a normal.
    vec3 sum = vec3(0.0), glow = vec3(0.0), to_sun = 0.06 * max(size.x, max(size.y, size.z)) * normalize(KEY);
    for (int i = 0; i < STEPS; i++) {
        vec3 p = eye + (way.x + (float(i) + 0.5) * stride) * along;
        float density = dense(p), part = 1.0 - exp(-THICK * absorption * density * stride);
        if (part > 0.003) {
            float facing = clamp(0.22 + 1.3 * (density - dense(p + to_sun)), 0.0, 1.0);
            vec3 sunlit = (0.2 + 1.25 * facing) * (0.3 + 0.7 * at(shade, p)) * SUN;
            sum += left * part * (vec3(0.045, 0.06, 0.10) + sunlit);
#if HOT
            // A flame is soot that is seen through; what glows is as much of it as there is on the way.
            vec3 hot = glowing(at(heat, p));
            // Exposed as a film is, by a root, so that what is less hot is seen, too.
            float exposed = sqrt(hot.r);
            glow += left * BRIGHT * density * stride / max(size.x, max(size.y, size.z)) * exposed / max(hot.r, 1e-9) * hot;
            part *= 1.0 - 0.9 * min(4.0 * exposed, 1.0);
#endif
            left *= 1.0 - part;
            if (left < 0.01) break; // not seen
        }
    }
    vec3 end = eye + way.y * along;
    vec4 behind = ground(end, at(shade, end));
#if HOT
    // The fire lights the floor; what is too bright becomes white.
    vec2 away = (end.xy - 0.5 * size.xy) / max(size.x, size.y);
    behind.rgb += behind.a * vec3(0.40, 0.15, 0.03) * exp(-12.0 * dot(away, away)) * step(end.z, 0.01 * size.z);
    vec3 shine = 1.0 - exp(-glow);
    return vec4(mix(0.7 * sum + left * behind.rgb, vec3(1.0), shine), 1.0 - left * (1.0 - behind.a) * (1.0 - shine.r));
#else
    return vec4(sum + left * behind.rgb, 1.0 - left * (1.0 - behind.a));
#endif
}
#else
const int STEPS = 256, DEEP = 48, UP = 16;

// A room: a dark floor, light walls, and a window where the sun comes in.
vec3 sky(vec3 along) {
    float up = 0.5 + 0.5 * along.z;
    vec3 room = mix(vec3(0.10, 0.11, 0.12), vec3(0.80, 0.90, 1.00), up * up);
    return room + 1.6 * smoothstep(0.86, 0.93, dot(along, normalize(KEY))) * SUN;
}

vec3 normalAt(vec3 p) {
    const vec2 H = vec2(0.75, 0.0);
    vec3 slope = vec3(
        at(field, p + H.xyy) - at(field, p - H.xyy), at(field, p + H.yxy) - at(field, p - H.yxy),
        at(field, p + H.yyx) - at(field, p - H.yyx));
    return slope / max(length(slope), 1e-6);
}

// The light of the sun on the floor or a wall, less what water on the way keeps, and gathered or spread by the bend of the surface above.
float litAt(vec3 p) {
    vec3 to_sun = normalize(KEY);
    float stride = crossing(p, to_sun).y / float(UP), depth = 0.0, top = 0.0;
    for (int i = 0; i < UP; i++) {
        float far = (float(i) + 0.5) * stride;
        if (at(field, p + far * to_sun) < 0.0) {
            depth += stride;
            top = far;
        }
    }
    float gathered = 1.0;
    if (top > 0.0 && top < (float(UP) - 1.0) * stride) {
        // To the surface, between the last place in water and the next.
        vec3 q = p + top * to_sun;
        float inside = at(field, q), outside = at(field, q + stride * to_sun);
        q += clamp(inside / min(inside - outside, -1e-6), 0.0, 1.0) * stride * to_sun;
        vec2 h = vec2(1.5, 0.0);
        float bend = at(field, q + h.xyy) + at(field, q - h.xyy) + at(field, q + h.yxy) + at(field, q - h.yxy) - 4.0 * at(field, q);
        gathered = clamp(1.0 + 0.25 * depth * bend / (h.x * h.x), 0.45, 2.2);
    }
    return 0.35 + 0.65 * gathered * exp(-1.2 * depth / max(size.x, max(size.y, size.z)));
}

vec4 behind(vec3 last) {
    return ground(last, litAt(last));
}

// Light from within: what lies behind, less and less of it, and the water's own colour. A ray that has left the water goes on
// as it did before it came to it.
vec4 through(vec3 from, vec3 inside, vec3 outside) {
    vec3 p = from, way = inside;
    float stride = crossing(p, way).y / float(DEEP), depth = 0.0, half_way = 0.5;
    bool out_again = false;
    for (int i = 0; i < DEEP; i++) {
        p += half_way * stride * way;
        half_way = 1.0;
        float distance = at(field, p);
        if (distance < 0.0) depth += stride;
        if (distance > 0.0 && !out_again) {
            out_again = true;
            way = outside;
            stride = crossing(p, way).y / float(DEEP - i);
        }
    }
    vec3 last = clamp(p + 0.5 * stride * way, vec3(0.0), size);
    last += crossing(last, way).y * way;
    vec4 seen = behind(last);
    vec3 kept = exp(-depth / max(size.x, max(size.y, size.z)) * vec3(4.6, 1.15, 0.60));
    float cover = max(seen.a, 1.0 - kept.g);
    return vec4(seen.rgb * kept + vec3(0.00, 0.10, 0.17) * (1.0 - kept), cover);
}

vec4 surface(vec3 p, vec3 normal, vec3 along) {
    float facing = max(-dot(normal, along), 0.0);
    float mirrored = 0.02 + 0.98 * pow(1.0 - facing, 5.0);
    vec3 back = reflect(along, normal);
    float glint = 2.0 * pow(max(dot(back, normalize(KEY)), 0.0), 90.0);
    vec4 inside = through(p, refract(along, normal, 0.75), along);
    vec4 beside = ground(p + crossing(p, back).y * back, 0.8);
    vec3 lit = max(dot(normal, normalize(KEY)), 0.0) * vec3(0.05, 0.11, 0.13);
    vec3 image = mix(sky(back), beside.rgb, beside.a);
    return vec4(mix(inside.rgb + lit, image, mirrored) + glint * SUN, max(inside.a, mirrored));
}

// phi is a distance near the surface only, so no step is longer than two voxels; in a box so large that these would not cross
// it, than a hundredth of it.
vec4 seen(vec3 along, vec2 way) {
    float longest = max(2.0, 0.01 * max(size.x, max(size.y, size.z)));
    float t = way.x + 1e-3, distance = at(field, eye + t * along), before = distance, walked = 0.0;
    for (int i = 0; i < STEPS; i++) {
        if (distance < 0.0 || t >= way.y) break;
        walked = clamp(0.8 * distance, 0.2, longest);
        t += walked;
        before = distance;
        distance = at(field, eye + t * along);
    }
    vec3 end = eye + way.y * along;
    if (distance >= 0.0 || t >= way.y) return behind(end);
    t -= walked * distance / min(distance - before, -1e-6);
    vec3 p = eye + t * along;
    if (walked > 0.0) return surface(p, normalAt(p), along);
    if (way.x == 0.0) return through(p, along, along); // the eye is in the water
    // Water behind glass, which mirrors a little: the wall through which the ray came.
    vec3 wall = step(p, vec3(0.01)) + step(size - 0.01, p);
    vec3 normal = -sign(along) * wall / max(length(wall), 1.0);
    vec4 inside = through(p, refract(along, normal, 0.75), along);
    float mirrored = 0.02 + 0.98 * pow(1.0 - max(-dot(normal, along), 0.0), 5.0);
    return vec4(mix(inside.rgb, sky(reflect(along, normal)), 0.5 * mirrored), inside.a);
}
#endif

vec4 castTo(vec2 aim) {
    vec3 along = normalize(upper_left + aim.x * across + aim.y * down);
    vec2 way = crossing(eye, along);
    if (way.y <= way.x) return vec4(0.0);
    vec4 found = seen(along, way);
    // The edges of the box before all that is in it.
    return way.x > 0.0 ? mix(found, vec4(FRAME, 1.0), 0.6 * edged(eye + way.x * along)) : found;
}

#if REFINED
uniform vec2 pixel; // its sides, as parts of the picture

const int MORE = 4;
#endif

void main() {
#if REFINED
    light = vec4(0.0);
    for (int i = 0; i < MORE; i++) {
        // No two in a row or a column of quarters.
        float n = float(i), row = n < 1.5 ? 2.0 * n + 1.0 : 2.0 * n - 4.0;
        vec4 found = castTo(place + pixel * (0.25 * vec2(n, row) - 0.375));
        light += vec4(min(found.rgb, 1.0), found.a) / float(MORE);
    }
#else
    light = castTo(place);
#endif
}
