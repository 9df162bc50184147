// Formula:   clouds that are heaps of heads, a parabola over each, of three sizes one on the other; opacity 1 - exp(-k height); light 1/(1 + c tau) of sun and sky on their slopes, silver where they are thin; the slice again and again, smaller towards the horizon and paler; hills before it
// Inputs:    clouds (q_c, tau to the sun, to the sky: sky_light.frag); large, middling, small (heads: sky_heads.frag) and their lattices; near (where there are any: sky_near.frag); counts of cells; periodic (1 or 0 for each axis); shown (columns, rows), first (column); drift (cells); sun (way to it); level (of condensation, cells; below 0: none); marked (where a dashed line is drawn, the same)
// Domain and range: places in cells, (0, 0) the lower left corner of the box -> linear light
// Edges:     the nearest cell; a periodic axis wraps around
// Reference: Bohren, Multiple scattering of light and some of its observable consequences, 1987 (two streams); Harris & Lastra, Real-Time Cloud Rendering, 2001; Gardner, Visual Simulation of Clouds, 1985 (relief without depth)
uniform Stream clouds, near, large, middling, small;
uniform vec2 counts, periodic, of_large, of_middling, of_small, shown, sun;
uniform float first, drift, level, marked;
DOMAIN place;
RANGE vec4 light;

const vec3 GROUND = vec3(0.10, 0.105, 0.10), LEVEL = vec3(0.95, 0.80, 0.30);

// The height of the horizon, as a part of the picture's, and how small the slices behind are, each the one before times that.
const float HORIZON = 0.045, FARTHER = 0.66;
const int BEHIND = 4;

// The sun's light and the sky's by the height of the sun: white and blue at noon, red and pale at the horizon.
vec3 ofSun(vec3 noon, vec3 evening) {
    return mix(noon, evening, exp(-5.0 * sun.y));
}

// The highest of nine heads, in sides, its slope, and how dense it is; where two meet, a mean of both.
vec4 headsAt(Stream heads, vec2 lattice, vec2 p) {
    vec2 q = (p - vec2(drift, 0.0)) * lattice / counts, element = floor(q), part = q - element;
    vec4 sum = vec4(0.0);
    float weights = 1e-9;
    for (int j = -1; j <= 1; j++) {
        for (int i = -1; i <= 1; i++) {
            vec2 way = vec2(float(i), float(j));
            vec4 head = value2(heads, element + way + 0.5);
            vec2 off = part - way - head.xy;
            float radius = max(head.z, 1e-3), high = max(head.z - dot(off, off) / radius, 0.0), square = high * high;
            float weight = square * square * square;
            sum += weight * vec4(high, -2.0 * off / radius, head.w);
            weights += weight;
        }
    }
    return sum / weights;
}

// A place moved by a little, so that no head is a disc: by whole waves, so that a periodic box has no seam.
vec2 bent(vec2 p) {
    float whole = counts.x / 6.2831853;
    vec2 along = floor(whole * vec2(0.55, 1.9) + 0.5) / whole * (p.x - drift), up = vec2(0.6, 2.0) * p.y, size = vec2(0.6, 0.25);
    return p + vec2(dot(size, sin(up + 1.7 * sin(along + 2.0))), dot(size, sin(along + 1.5 * sin(up + 1.0))));
}

// Hills against the horizon, of whole waves, so that a periodic box has no seam.
float hills(float x, vec3 waves, vec3 phases) {
    vec3 s = sin(6.2831853 * waves * x + phases);
    return dot(s, vec3(0.5, 0.3, 0.2));
}

vec3 horizonAt(float across) {
    return mix(ofSun(vec3(0.52, 0.68, 0.84), vec3(0.42, 0.34, 0.36)), vec3(0.95, 0.50, 0.20),
        exp(-5.0 * sun.y) * smoothstep(0.0, 1.0, 0.5 + 0.8 * (across - 0.5) * sign(sun.x)));
}

// The sky, and the sun in it.
vec3 skyAt(vec2 share) {
    vec3 zenith = ofSun(vec3(0.035, 0.13, 0.42), vec3(0.05, 0.07, 0.20));
    vec3 horizon = horizonAt(share.x);
    vec3 sky = zenith + (horizon - zenith) * exp(-3.0 * max(share.y - HORIZON, 0.0));
    vec2 away = (share - vec2(0.5 + 0.42 * sun.x, HORIZON + 0.84 * sun.y)) * vec2(shown.x / shown.y, 1.0);
    float far = length(away), glow = 0.55 * exp(-9.0 * far) + 0.2 * exp(-2.5 * far);
    vec3 colour = ofSun(vec3(1.0, 0.95, 0.82), vec3(1.0, 0.55, 0.22));
    return sky + glow * colour + 3.0 * (1.0 - smoothstep(0.016, 0.024, far)) * colour;
}

// The light of a slice of cloud at p, times how far it hides what is behind it, which is the last number; close is 1 for the slice itself, less
// farther off. The sun shines through thin edges, the more the nearer to the sunny side.
vec4 clouded(vec2 p, float close, float mirrored, vec3 haze) {
    if (p.y < level - 1.0 || p.y > counts.y) return vec4(0.0);
    vec2 at = bent(p), element = floor((at - vec2(drift, 0.0)) * of_large / counts);
    if (value2(near, elementOf(element, of_large, periodic) + 0.5).x < 0.5) return vec4(0.0);
    vec4 one = headsAt(large, of_large, at), two = headsAt(middling, of_middling, at), three = vec4(0.0);
    if (one.x + two.x <= 0.0) return vec4(0.0);
    if (close > 0.9) three = headsAt(small, of_small, at);
    vec3 side = vec3(counts.x / of_large.x, counts.x / of_middling.x, counts.x / of_small.x);
    vec3 highs = vec3(one.x, two.x, three.x) * side, dense = vec3(one.w, two.w, three.w);
    vec2 slope = vec2(mirrored, 1.0) * (0.85 * one.yz + 0.45 * two.yz + 0.3 * three.yz);
    // Bases are flat where air condenses.
    float above = p.y - level, risen = level < 0.0 ? 1.0 : smoothstep(-0.5, 0.7, above + 0.25 * two.y);
    float thick = risen * dot(highs * dense, vec3(0.5, 0.7, 0.9)), cover = 1.0 - exp(-thick);
    vec3 cloud = betweenFour(aroundPlace(clouds, vec2(0.0), p - 0.5, counts, periodic)).xyz;
    vec3 sunlight = ofSun(vec3(1.10, 1.05, 0.96), vec3(1.05, 0.55, 0.26));
    vec3 skylight = ofSun(vec3(0.17, 0.23, 0.33), vec3(0.15, 0.14, 0.21));
    vec3 normal = normalize(vec3(-0.75 * slope, 1.0));
    float facing = max(0.5 + 0.5 * dot(normal, normalize(vec3(sun, 0.45))), 0.0), open = 0.5 + 0.5 * normal.y;
    float up = level < 0.0 ? 1.0 : smoothstep(-1.0, 12.0, above);
    vec2 reached = 1.0 / (1.0 + vec2(0.13, 0.2) * cloud.yz) * vec2(0.35 + 0.65 * up, 0.7 + 0.3 * up);
    vec3 body = reached.x * mix(0.12, 1.0, facing * facing) * sunlight
        + (0.35 + reached.y) * mix(0.35, 1.0, open) * skylight + (1.0 - open) * (1.0 - 0.5 * up) * GROUND;
    vec3 silver = 0.7 * sunlight * cover * exp(-1.3 * thick - 0.15 * cloud.y);
    return vec4(cover * mix(haze, body + silver, close), cover);
}

void main() {
    vec2 share = (place - vec2(first, 0.0)) / shown;
    float horizon = HORIZON * shown.y;
    vec3 haze = horizonAt(share.x);
    vec4 picture = clouded(place, 1.0, 1.0, haze);
    if (level >= 0.0 && periodic.x > 0.5 && place.y > horizon) {
        float size = 1.0;
        vec2 vanishing = vec2(first + 0.5 * shown.x, horizon);
        for (int n = 1; n <= BEHIND; n++) {
            size *= FARTHER;
            if (picture.a > 0.99) break;
            // Every second one in a mirror.
            float mirrored = mod(float(n), 2.0) < 0.5 ? 1.0 : -1.0;
            vec2 p = (place - vanishing) / size + vanishing;
            p.x = mirrored * p.x + 0.37 * float(n) * counts.x;
            picture += (1.0 - picture.a) * clouded(p, 0.25 + 0.7 * size, mirrored, haze);
        }
    }
    vec3 seen = picture.rgb + (1.0 - picture.a) * skyAt(share);
    float x = place.x / counts.x, pixel = fwidth(share.y) + 1e-6;
    if (marked >= 0.0) {
        // Dashes, 24 of them.
        float dash = step(0.45, fract(24.0 * x)), line = clamp(1.5 - abs(share.y - marked / shown.y) / pixel, 0.0, 1.0);
        seen = mix(seen, LEVEL, 0.55 * dash * line);
    }
    if (share.y < 0.1) {
        vec3 tint = ofSun(vec3(1.0), vec3(1.0, 0.75, 0.6));
        float shade = betweenFour(aroundPlace(clouds, vec2(0.0), vec2(place.x - 0.5, 0.0), counts, periodic)).y;
        float lit = 0.35 + 0.65 * sun.y, shadow = 0.55 + 0.45 / (1.0 + 0.3 * shade); // the shadow of clouds
        float far = 0.056 + 0.010 * hills(x, vec3(2.0, 5.0, 9.0), vec3(0.4, 2.0, 4.0));
        float middle = 0.040 + 0.009 * hills(x, vec3(3.0, 4.0, 11.0), vec3(1.4, 5.0, 0.3));
        float near = 0.022 + 0.009 * hills(x, vec3(1.0, 3.0, 7.0), vec3(3.0, 0.7, 1.9));
        seen = mix(seen, mix(vec3(0.20, 0.29, 0.34) * lit, haze, 0.35) * tint, clamp((far - share.y) / pixel + 0.5, 0.0, 1.0));
        seen = mix(seen, mix(vec3(0.13, 0.21, 0.12) * lit * shadow, haze, 0.12) * tint, clamp((middle - share.y) / pixel + 0.5, 0.0, 1.0));
        seen = mix(seen, vec3(0.075, 0.14, 0.045) * lit * shadow * tint, clamp((near - share.y) / pixel + 0.5, 0.0, 1.0));
    }
    light = vec4(seen, 1.0);
}
