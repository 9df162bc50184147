// Formula:   clouds of opacity 1 - exp(-k q_c w) in the light 1/(1 + 0.11 tau) of sun and sky, silver where they are thin, between sky and ground
// Inputs:    air (b: q_c); shade (tau to the sun, to the sky: sky_light.frag); counts of cells; periodic (1 or 0 for each axis); depth (k w)
// Domain and range: places in cells, (0, 0) the lower left corner of the box -> linear light
// Edges:     the nearest cell; a periodic axis wraps around
// Reference: Bohren, Multiple scattering of light and some of its observable consequences, 1987 (two streams: 0.11 = 3/4 (1 - 0.85))
uniform Stream air, shade;
uniform vec2 counts, periodic;
uniform float depth;
DOMAIN place;
RANGE vec4 light;

const vec3 ZENITH = vec3(0.035, 0.12, 0.42), HORIZON = vec3(0.50, 0.66, 0.83);
const vec3 SUN = vec3(0.80, 0.76, 0.69), SKY = vec3(0.14, 0.18, 0.25), GROUND = vec3(0.10, 0.105, 0.10);

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

void main() {
    vec2 share = place / counts;
    vec3 cloud = smoothAt(place);
    float thick = depth * cloud.x, cover = 1.0 - exp(-thick);
    vec3 sky = ZENITH + (HORIZON - ZENITH) * exp(-3.0 * share.y);
    vec2 reached = 1.0 / (1.0 + 0.11 * cloud.yz);
    vec3 body = reached.x * SUN + reached.y * SKY + GROUND;
    vec3 silver = 0.6 * SUN * cover * exp(-0.83 * thick - 0.25 * cloud.y);
    vec3 seen = mix(sky, body, cover) + silver;
    float x = share.x, pixel = fwidth(share.y) + 1e-6;
    float far = 0.030 + 0.008 * hills(x, vec3(2.0, 5.0, 9.0), vec3(0.4, 2.0, 4.0));
    float near = 0.014 + 0.006 * hills(x, vec3(1.0, 3.0, 7.0), vec3(3.0, 0.7, 1.9));
    seen = mix(seen, vec3(0.20, 0.29, 0.30), clamp((far - share.y) / pixel + 0.5, 0.0, 1.0));
    seen = mix(seen, vec3(0.07, 0.13, 0.045), clamp((near - share.y) / pixel + 0.5, 0.0, 1.0));
    light = vec4(seen, 1.0);
}
