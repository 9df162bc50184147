// Formula:   clouds of opacity 1 - exp(-k q_c w) in the light 1/(1 + 0.11 tau) of sun and sky, silver towards the sun where they are thin, between sky and ground
// Inputs:    air (b: q_c); shade (tau to the sun, to the sky: sky_light.frag); counts of cells; periodic (1 or 0 for each axis); depth (k w); sun (way to it), level (of condensation, cells; below 0: not drawn)
// Domain and range: places in cells, (0, 0) the lower left corner of the box -> linear light
// Edges:     the nearest cell; a periodic axis wraps around
// Reference: Bohren, Multiple scattering of light and some of its observable consequences, 1987 (two streams: 0.11 = 3/4 (1 - 0.85))
uniform Stream air, shade;
uniform vec2 counts, periodic, sun;
uniform float depth, level;
DOMAIN place;
RANGE vec4 light;

const vec3 GROUND = vec3(0.10, 0.105, 0.10), LEVEL = vec3(0.95, 0.80, 0.30);

// The sun's light and the sky's by the height of the sun: white and blue at noon, red and pale at the horizon.
vec3 ofSun(vec3 noon, vec3 evening) {
    return mix(noon, evening, exp(-5.0 * sun.y));
}

// The weights of a quadratic B-spline: smooth where linear ones have creases.
vec3 weights(float part) {
    return vec3(0.5 * (0.5 - part) * (0.5 - part), 0.75 - part * part, 0.5 * (0.5 + part) * (0.5 + part));
}

// (q_c, tau to the sun, tau to the sky) between cells: 18 fetches.
vec3 smoothAt(vec2 p) {
    vec2 middle = floor(p), part = p - middle - 0.5;
    vec3 across = weights(part.x), up = weights(part.y), sum = vec3(0.0);
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) {
            vec2 cell = elementOf(middle + vec2(float(i) - 1.0, float(j) - 1.0), counts, periodic) + 0.5;
            sum += across[i] * up[j] * vec3(value2(air, cell).z, value2(shade, cell).xy);
        }
    }
    return sum;
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

// The sky with clouds before it: where they are thin the sun shines through them, the more the nearer to their sunny side.
vec3 clouded(vec3 sky, vec3 cloud) {
    vec3 sunlight = ofSun(vec3(0.88, 0.84, 0.76), vec3(1.00, 0.52, 0.24));
    vec3 skylight = ofSun(vec3(0.13, 0.18, 0.27), vec3(0.12, 0.12, 0.20));
    float thick = depth * cloud.x, cover = 1.0 - exp(-thick);
    vec2 reached = 1.0 / (1.0 + vec2(0.30, 0.15) * cloud.yz);
    vec3 body = reached.x * sunlight + reached.y * skylight + GROUND;
    vec3 silver = 0.75 * sunlight * cover * exp(-0.9 * thick - 0.2 * cloud.y);
    return mix(sky, body, cover) + silver;
}

void main() {
    vec2 share = place / counts;
    vec3 seen = skyAt(share.y, share.x);
    seen = clouded(seen, smoothAt(place));
    float x = share.x, pixel = fwidth(share.y) + 1e-6;
    if (level >= 0.0) {
        // Dashes, 24 of them.
        float dash = step(0.45, fract(24.0 * x)), line = clamp(1.5 - abs(share.y - level / counts.y) / pixel, 0.0, 1.0);
        seen = mix(seen, LEVEL, 0.55 * dash * line);
    }
    float lit = 0.35 + 0.65 * sun.y;
    float far = 0.030 + 0.008 * hills(x, vec3(2.0, 5.0, 9.0), vec3(0.4, 2.0, 4.0));
    float near = 0.014 + 0.006 * hills(x, vec3(1.0, 3.0, 7.0), vec3(3.0, 0.7, 1.9));
    seen = mix(seen, vec3(0.20, 0.29, 0.30) * lit, clamp((far - share.y) / pixel + 0.5, 0.0, 1.0));
    seen = mix(seen, vec3(0.07, 0.13, 0.045) * lit, clamp((near - share.y) / pixel + 0.5, 0.0, 1.0));
    light = vec4(seen, 1.0);
}
