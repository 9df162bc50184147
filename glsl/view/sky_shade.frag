// Formula:   clouds of opacity 1 - exp(-k w q^(2/3)), q of q_c less what lies between heads, before the slice itself and lower above the level, in the light 1/(1 + c tau) of sun and sky on a relief of ln q_c, silver where they are thin, between sky and ground
// Inputs:    clouds (q_c, tau to the sun, to the sky: sky_light.frag); counts of cells; periodic (1 or 0 for each axis); depth (k w); sun (way to it), level (of condensation, cells; below 0: none); marked (where a dashed line is drawn, the same)
// Domain and range: places in cells, (0, 0) the lower left corner of the box -> linear light
// Edges:     the nearest cell; a periodic axis wraps around
// Reference: Bohren, Multiple scattering of light and some of its observable consequences, 1987 (two streams); Perlin, An Image Synthesizer, 1985 (the heads)
uniform Stream clouds;
uniform vec2 counts, periodic, sun;
uniform float depth, level, marked;
DOMAIN place;
RANGE vec4 light;

// Cloud water that is not seen, that which lies between heads, and that up to which an edge is soft; how steep a cloud and its heads are; how bent these are.
const float THIN = 2e-5, EATEN = 3e-4, SOFT = 2.5e-4, RELIEF = 4.0, FINE = 0.8, BEND = 0.8;
const vec3 GROUND = vec3(0.10, 0.105, 0.10), LEVEL = vec3(0.95, 0.80, 0.30);

// The sun's light and the sky's by the height of the sun: white and blue at noon, red and pale at the horizon.
vec3 ofSun(vec3 noon, vec3 evening) {
    return mix(noon, evening, exp(-5.0 * sun.y));
}

// The weights of a quadratic B-spline: smooth where linear ones have creases.
vec3 weights(float part) {
    return vec3(0.5 * (0.5 - part) * (0.5 - part), 0.75 - part * part, 0.5 * (0.5 + part) * (0.5 + part));
}

// The same of its slope.
vec3 slopes(float part) {
    return vec3(part - 0.5, -2.0 * part, part + 0.5);
}

// (q_c, tau to the sun, tau to the sky) between cells, and the slope of q_c: 9 fetches.
struct Seen {
    vec3 cloud;
    vec2 slope;
};

Seen smoothAt(vec2 p) {
    vec2 middle = floor(p), part = p - middle - 0.5;
    vec3 across = weights(part.x), up = weights(part.y), east = slopes(part.x), north = slopes(part.y);
    Seen seen = Seen(vec3(0.0), vec2(0.0));
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) {
            vec2 cell = elementOf(middle + vec2(float(i) - 1.0, float(j) - 1.0), counts, periodic) + 0.5;
            vec3 cloud = value2(clouds, cell).xyz;
            seen.cloud += across[i] * up[j] * cloud;
            seen.slope += cloud.x * vec2(east[i] * up[j], across[i] * north[j]);
        }
    }
    return seen;
}

// Hills against the horizon, of whole waves, so that a periodic box has no seam.
float hills(float x, vec3 waves, vec3 phases) {
    vec3 s = sin(6.2831853 * waves * x + phases);
    return dot(s, vec3(0.5, 0.3, 0.2));
}

vec3 skyAt(float up, float across) {
    vec3 zenith = ofSun(vec3(0.035, 0.12, 0.42), vec3(0.05, 0.07, 0.20));
    vec3 horizon = mix(ofSun(vec3(0.50, 0.66, 0.83), vec3(0.42, 0.34, 0.36)), vec3(0.95, 0.50, 0.20),
        exp(-5.0 * sun.y) * smoothstep(0.0, 1.0, 0.5 + 0.8 * (across - 0.5) * sign(sun.x)));
    return zenith + (horizon - zenith) * exp(-3.0 * up);
}

// Heads of cauliflower, about 0 to 1, of waves of ten cells and shorter, and their slope: what is finer than cells is drawn, not computed.
vec3 heads(vec2 p) {
    vec3 sum = vec3(0.0);
    float height = 0.8;
    mat2 turn = mat2(0.36);
    float whole = counts.x / 6.2831853;
    for (int i = 0; i < 4; i++) {
        turn[0] = floor(whole * turn[0] + 0.5) / whole; // around the box
        vec2 at = turn * p, shift = at.yx + vec2(1.7, 4.1) * float(i), bent = at + BEND * sin(shift);
        vec2 wave = sin(bent), slope = cos(bent) * wave.yx, bend = BEND * cos(shift);
        float high = wave.x * wave.y, side = high < 0.0 ? -height : height;
        sum.x += side * high;
        sum.yz += side * (vec2(slope.x + bend.y * slope.y, slope.y + bend.x * slope.x) * turn);
        turn = mat2(1.52, 1.14, -1.14, 1.52) * turn;
        height *= 0.5;
    }
    return sum;
}

// A cloud before what is behind it, of which the last number is how far it is hidden: the sun shines through thin edges before the sky, the
// more the nearer to the sunny side.
vec4 clouded(vec4 behind, Seen seen, vec2 p) {
    if (seen.cloud.x <= THIN) return behind;
    vec3 cloud = seen.cloud, fine = heads(p);
    vec3 sunlight = ofSun(vec3(1.02, 0.98, 0.90), vec3(1.05, 0.55, 0.26));
    vec3 skylight = ofSun(vec3(0.16, 0.21, 0.30), vec3(0.13, 0.13, 0.21));
    // A cloud bulges towards the viewer where it is dense. Where cloud water grows upwards is its base, which is flat: heads rise from the top.
    vec2 lean = seen.slope / (cloud.x + 3e-4);
    float risen = 1.0 - smoothstep(0.02, 0.14, lean.y);
    vec3 normal = normalize(vec3(-RELIEF * lean - FINE * risen * fine.yz, 1.0));
    // Droplets are as many everywhere, and so the smaller where there is less water: it hides as its power of 2/3.
    float water = max(cloud.x - THIN - EATEN * risen * max(1.0 - fine.x, 0.0), 0.0);
    // Where there is next to nothing it fades out, so that its edge is no line.
    float edge = smoothstep(0.0, SOFT, water), thick = 0.55 * edge * depth * 1e-3 * pow(1e3 * water, 0.667), cover = 1.0 - exp(-thick);
    float facing = max(0.5 + 0.5 * dot(normal, normalize(vec3(sun, 0.55))), 0.0), open = 0.5 + 0.5 * normal.y;
    vec2 reached = 1.0 / (1.0 + vec2(0.28, 0.25) * cloud.yz);
    vec3 body = reached.x * mix(0.2, 1.05, facing * facing) * sunlight
        + (0.35 + reached.y) * mix(0.2, 1.0, open * open) * skylight + (1.0 - open) * GROUND;
    vec3 silver = 0.9 * (1.0 - behind.a) * sunlight * cover * exp(-1.1 * thick - 0.2 * cloud.y);
    return vec4(mix(behind.rgb, body, cover) + silver, behind.a + cover * (1.0 - behind.a));
}

// Clouds before the slice: its own, so far aside (in levels) and so many times lower above the level.
vec4 before(vec4 behind, float aside, float lower) {
    vec2 beside = vec2(aside * level, 0.0);
    Seen seen = smoothAt(place + beside + vec2(0.0, (lower - 1.0) * max(place.y - level, 0.0)));
    seen.slope.y *= lower;
    return clouded(behind, seen, place + beside + 29.0 * lower);
}

void main() {
    vec2 share = place / counts;
    vec4 picture = clouded(vec4(skyAt(share.y, share.x), 0.0), smoothAt(place), place);
    if (level >= 0.0) {
        picture = before(picture, 0.18, 1.5);
        picture = before(picture, -0.2, 2.4);
    }
    vec3 seen = picture.rgb;
    float x = share.x, pixel = fwidth(share.y) + 1e-6;
    if (marked >= 0.0) {
        // Dashes, 24 of them.
        float dash = step(0.45, fract(24.0 * x)), line = clamp(1.5 - abs(share.y - marked / counts.y) / pixel, 0.0, 1.0);
        seen = mix(seen, LEVEL, 0.55 * dash * line);
    }
    float lit = 0.35 + 0.65 * sun.y;
    if (share.y < 0.05) lit *= 0.55 + 0.45 / (1.0 + 0.3 * smoothAt(vec2(place.x, 0.5)).cloud.y); // the shadow of clouds
    float far = 0.030 + 0.008 * hills(x, vec3(2.0, 5.0, 9.0), vec3(0.4, 2.0, 4.0));
    float near = 0.014 + 0.006 * hills(x, vec3(1.0, 3.0, 7.0), vec3(3.0, 0.7, 1.9));
    seen = mix(seen, vec3(0.20, 0.29, 0.30) * lit, clamp((far - share.y) / pixel + 0.5, 0.0, 1.0));
    seen = mix(seen, vec3(0.07, 0.13, 0.045) * lit, clamp((near - share.y) / pixel + 0.5, 0.0, 1.0));
    light = vec4(seen, 1.0);
}
