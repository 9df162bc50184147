// Formula:   sRGB of the mean of SAMPLES x SAMPLES texels, clipped or stretched, over a background where the canvas is empty, with SKY a sky; with WATER their light first
// Inputs:    canvas (SAMPLES times the picture's sides; linear light, alpha = covered, or what water_seen writes); exposure and haze (light to be added, of the whole picture) with STRETCHED; view with SKY; nodes and what lights them with WATER
// Domain and range: the canvas -> the picture
// Edges:     clamp
// Reference: IEC 61966-2-1 (sRGB); Deering et al., The Triangle Processor and Normal Vector Shader, 1988 (light after hiding); Schlick, An Inexpensive BRDF Model, 1994; Lupton et al., Preparing Red-Green-Blue Images from CCD Data, 2004 (the stretch)
uniform Stream canvas;
DOMAIN coords;
RANGE vec4 colour;

vec3 encoded(vec3 x) {
    x = clamp(x, 0.0, 1.0);
    return mix(12.92 * x, 1.055 * pow(max(x, 1e-6), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, x));
}

#if WATER
uniform Stream nodes;      // height, slopes, wild
uniform vec2 across;       // the sides of the water, in distances of nodes
uniform vec2 half_sides;
uniform vec3 eye;
uniform float relief, floor_depth, steepness; // steepness: the world's slope of a slope of 1

const vec3 SUN = vec3(-0.70, 0.55, -0.46); // towards it, of length 1
const vec3 DEEP = vec3(0.004, 0.035, 0.07), SHALLOW = vec3(0.02, 0.22, 0.26), BROKEN = vec3(0.6, 0.0, 0.6);

vec3 sky(vec3 way) {
    vec3 horizon = vec3(0.72, 0.82, 0.92), zenith = vec3(0.10, 0.28, 0.62);
    return mix(horizon, zenith, sqrt(clamp(way.y, 0.0, 1.0)));
}

// colour = mix(water, sky(reflected), F) + sun, F = F0 + (1 - F0) (1 - n.v)^5
vec3 surface(vec3 place, float height, vec2 slope) {
    vec3 normal = normalize(vec3(-slope.x, 1.0, -slope.y)), view = normalize(eye - place);
    float facing = clamp(dot(normal, view), 0.0, 1.0);
    float fresnel = 0.02 + 0.98 * pow(1.0 - facing, 5.0);
    vec3 mirrored = reflect(-view, normal);
    mirrored.y = abs(mirrored.y);
    float glint = max(dot(mirrored, SUN), 0.0);
    // Crests let more light through than troughs; height / (1 + |height|) keeps any height in bounds.
    float crest = 0.5 + 0.5 * height / (1.0 + abs(height));
    vec3 body = mix(DEEP, SHALLOW, crest * crest) * (0.45 + 0.9 * max(dot(normal, SUN), 0.0));
    return mix(body, sky(mirrored), fresnel) + vec3(1.0, 0.93, 0.8) * (3.0 * pow(glint, 400.0) + 0.12 * pow(glint, 24.0));
}

// The two numbers that water_seen wrote.
vec2 numbersOf(vec4 seen) {
    vec4 bytes = floor(255.0 * seen + 0.5);
    return 256.0 * bytes.xz + bytes.yw;
}

// The light of what it saw: nodes are linear on the triangles between them, cut from the first corner of a quad to its last.
vec4 lightOf(vec4 seen) {
    vec2 number = numbersOf(seen);
    if (number.y < 0.5) return vec4(0.0);
    bool walled = number.y > 49151.5;
    vec2 share = vec2(number.x / 65535.0, (number.y - 1.0) / 49150.0);
    float side = floor((number.y - 49152.0) / 4096.0), deep = (number.y - 49152.0 - 4096.0 * side) / 4095.0;
    if (walled) {
        share = side > 1.5 ? vec2(share.x, side - 2.0) : vec2(side, share.x);
    }
    vec2 at = share * across;
    // The last node lies at the edge, however near the one before it.
    vec2 last = nodes.extent.xy - 2.0, beyond = max(at - last, 0.0);
    at += beyond / (across - last) - beyond;
    vec2 first = min(floor(at), last), part = at - first;
    float most = max(part.x, part.y), least = min(part.x, part.y);
    vec4 a = value2(nodes, first + 0.5), c = value2(nodes, first + 1.5);
    vec4 b = value2(nodes, first + (part.x > part.y ? vec2(1.5, 0.5) : vec2(0.5, 1.5)));
    vec3 weight = vec3(1.0 - most, most - least, least);
    vec4 water = weight.x * a + weight.y * b + weight.z * c;
    vec3 colour;
    if (walled) {
        // The walls along x and along z are lit differently, so that their corner shows.
        colour = mix(SHALLOW, DEEP, deep) * (side > 1.5 ? 1.0 : 0.75);
    } else {
        float y = dot(weight, clamp(relief * vec3(a.x, b.x, c.x), -0.9 * floor_depth, 5.0 * floor_depth));
        vec2 ground = (2.0 * share - 1.0) * half_sides;
        colour = surface(vec3(ground.x, y, ground.y), 4.0 * water.x, steepness * water.yz);
    }
    return vec4(mix(colour, BROKEN, water.w), 1.0);
}
#else
vec4 lightOf(vec4 light) {
    return light;
}
#endif

#if STRETCHED
uniform float exposure;
uniform Stream haze;

vec3 behind(float up) {
    return vec3(0.0014, 0.0018, 0.003);
}

vec3 gathered(vec3 light) {
    return light;
}

// Between nine texels, by quadratic B-splines: bends have no corners.
vec3 hazeOf(vec2 share) {
    vec2 at = share * haze.extent.xy, middle = floor(at) + 0.5, part = at - middle;
    vec2 low = 0.5 * (0.5 - part) * (0.5 - part), high = 0.5 * (0.5 + part) * (0.5 + part);
    vec2 weights[3] = vec2[3](low, 1.0 - low - high, high);
    vec3 sum = vec3(0.0);
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) {
            sum += weights[i].x * weights[j].y * value2(haze, middle + vec2(float(i), float(j)) - 1.0).rgb;
        }
    }
    return sum;
}

// asinh is x where light is faint and log 2x where it is bright: WHITE is the most that is told apart. All three colours
// grow by one factor, so that what is bright keeps its hue; only near the end it pales, as on a film.
vec3 stretched(vec3 light) {
    const float WHITE = 400.0;
    float most = max(light.r, max(light.g, light.b));
    float shown = min(asinh(exposure * most) / asinh(exposure * WHITE), 1.0);
    return shown * mix(light / max(most, 1e-6), vec3(1.0), 0.7 * shown * shown * shown);
}
#else
#if SKY
uniform vec4 view; // how far the ways ahead and up the picture lead up; tangent of half the angle of view; how far the picture is moved up

// The air over the far ground is bright; ground ends a little below the horizon, and there the sky begins.
vec3 behind(float share) {
    const vec3 HORIZON = vec3(0.66, 0.62, 0.55), ZENITH = vec3(0.10, 0.25, 0.55);
    float part = (2.0 * share - 1.0 + view.w) * view.z;
    float up = (view.x + view.y * part) * inversesqrt(1.0 + part * part);
    return mix(ZENITH, HORIZON, exp(-8.0 * max(up + 0.1, 0.0)));
}
#else
vec3 behind(float up) {
    return mix(vec3(0.011, 0.013, 0.018), vec3(0.045, 0.06, 0.08), up);
}
#endif

vec3 gathered(vec3 light) {
    return min(light, 1.0); // clipped as a film does, or highlights have stairs
}

vec3 hazeOf(vec2 share) {
    return vec3(0.0);
}

vec3 stretched(vec3 light) {
    return light;
}
#endif

vec4 lit(vec4 texel) {
    vec4 light = lightOf(texel);
    return vec4(gathered(light.rgb), light.a);
}

void main() {
    vec2 first = coords - 0.5 * float(SAMPLES) + 0.5;
    vec4 sum = vec4(0.0);
#if WATER && SAMPLES == 2
    // Where four texels see one plane, two opposite ones tell the light of the others, if theirs is nearly the same and not bright: a glint bends,
    // and a wall does not.
    vec4 low = value2(canvas, first), right = value2(canvas, first + vec2(1.0, 0.0));
    vec4 left = value2(canvas, first + vec2(0.0, 1.0)), high = value2(canvas, first + 1.0);
    vec2 a = numbersOf(low), b = numbersOf(right), c = numbersOf(left), d = numbersOf(high);
    vec4 one = lit(low), other = lit(high);
    float least = min(min(a.y, b.y), min(c.y, d.y));
    bool plane = all(lessThan(abs(a + d - b - c), 0.25 * (abs(a - d) + abs(b - c)) + 4.0));
    vec3 most = min(0.0005 + 0.003 * (one.rgb + other.rgb), 0.5 - max(one.rgb, other.rgb));
    bool alike = plane && all(lessThan(abs(one.rgb - other.rgb), least > 49151.5 ? vec3(0.02) : most));
    sum = one + other;
    if (alike) {
        sum *= 2.0;
    } else {
        sum += lit(right) + lit(left);
    }
#else
    for (int y = 0; y < SAMPLES; y++) {
        for (int x = 0; x < SAMPLES; x++) sum += lit(value2(canvas, first + vec2(x, y)));
    }
#endif
    sum /= float(SAMPLES * SAMPLES);
    // The canvas has its last row on top.
    vec3 backdrop = (1.0 - sum.a) * behind(coords.y * canvas.extent.w);
    colour = vec4(encoded(stretched(sum.rgb + hazeOf(coords * canvas.extent.zw)) + backdrop), 1.0);
}
