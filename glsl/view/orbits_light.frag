// Formula:   shown = (n - 2 - log2(ln |z| / ln 256), light of a slope along z / z', 0), n the trips before |z| > 256, a mean of four where counts differ
// Inputs:    counts (trips before |z| > 2), origin (c of texel (0, 0)), pitch (from one texel's c to the next)
// Domain and range: the grid; of orbits that stay within TRIPS the light is 0
// Edges:     clamp
// Reference: Peitgen & Richter, The Beauty of Fractals, 1986 (continuous escape times, distance estimates)
uniform Stream counts;
uniform vec2 origin;
uniform float pitch;
DOMAIN at;
RANGE vec4 shown;

const float FAR = 256.0; // so far away all that z -> z^2 + c does is to double the logarithm

vec2 times(vec2 a, vec2 b) {
    return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// Trips with their fraction, light, and 1; nothing of an orbit that stays.
vec3 seen(vec2 c) {
    vec2 z = vec2(0.0), slope = vec2(0.0);
    float trips = 0.0, size = 0.0;
    // An orbit that has left within the last trip is soon far away.
    for (int trip = 0; trip < TRIPS + 4; trip++) {
        slope = 2.0 * times(z, slope) + vec2(1.0, 0.0);
        z = times(z, z) + c;
        size = dot(z, z);
        if (size > FAR * FAR) break;
        trips += 1.0;
    }
    if (size <= FAR * FAR) return vec3(0.0);
    float steep = length(slope), far = sqrt(size);
    // The distance from the set in texels: nearer than one there is no slope that a texel could show.
    float distance = far * log(far) / max(steep * pitch, 1e-20), fraction = log2(log(far) / log(FAR));
    vec2 down = steep < 1e18 ? times(z, vec2(slope.x, -slope.y)) / max(far * steep, 1e-20) : vec2(0.0);
    float lit = dot(down, vec2(-0.64, -0.77));
    lit = 1.0 + smoothstep(0.3, 3.0, distance) * (lit > 0.0 ? 0.06 : 0.55) * lit;
    return vec3(max(trips - 2.0 - fraction, 1.0), lit, 1.0); // ln 256 is three doublings of ln 2
}

void main() {
    float here = value2(counts, at).x, most = float(TRIPS);
    vec2 texel = floor(at);
    vec4 beside = vec4(value2(counts, at - vec2(1.0, 0.0)).x, value2(counts, at + vec2(1.0, 0.0)).x,
                       value2(counts, at - vec2(0.0, 1.0)).x, value2(counts, at + vec2(0.0, 1.0)).x);
    float off = max(max(abs(beside.x - here), abs(beside.y - here)), max(abs(beside.z - here), abs(beside.w - here)));
    if (here <= 0.0) {
        shown = vec4(here, 1.0, 0.0, 0.0); // nothing was counted yet
    } else if (off == 0.0 && here >= most) {
        shown = vec4(most, 0.0, 0.0, 0.0);
    } else {
        vec3 sum = seen(origin + pitch * texel);
        float samples = 1.0;
        if (off > 1.5) {
            sum = vec3(0.0);
            for (int i = 0; i < 4; i++) {
                float k = float(i), row = floor(0.5 * k + 0.25);
                vec2 place = vec2(k - 2.0 * row, row) - 0.5;
                sum += seen(origin + pitch * (texel + 0.5 * place + vec2(-0.25, 0.25) * place.yx));
            }
            samples = 4.0;
        }
        shown = vec4(sum.z > 0.0 ? sum.x / sum.z : most, sum.y / samples, 0.0, 0.0);
    }
}
