// Formula:   sRGB of the mean of samples x samples texels, clipped or stretched, over a background where the canvas is empty
// Inputs:    canvas (samples times the picture's sides, linear light, alpha = covered), samples; exposure with STRETCHED
// Domain and range: the canvas -> the picture
// Edges:     clamp
// Reference: IEC 61966-2-1 (sRGB); Lupton et al., Preparing Red-Green-Blue Images from CCD Data, 2004 (the stretch)
uniform Stream canvas;
uniform float samples;
DOMAIN coords;
RANGE vec4 colour;

vec3 encoded(vec3 x) {
    x = clamp(x, 0.0, 1.0);
    return mix(12.92 * x, 1.055 * pow(max(x, 1e-6), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, x));
}

#if STRETCHED
uniform float exposure;

const vec3 LOWER = vec3(0.0014, 0.0018, 0.003), UPPER = LOWER;

vec3 gathered(vec3 light) {
    return light;
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
const vec3 LOWER = vec3(0.011, 0.013, 0.018), UPPER = vec3(0.045, 0.06, 0.08);

vec3 gathered(vec3 light) {
    return min(light, 1.0); // clipped as a film does, or highlights have stairs
}

vec3 stretched(vec3 light) {
    return light;
}
#endif

void main() {
    vec2 first = coords - 0.5 * samples + 0.5;
    vec4 sum = vec4(0.0);
    for (float y = 0.0; y < samples; y += 1.0) {
        for (float x = 0.0; x < samples; x += 1.0) {
            vec4 light = value2(canvas, first + vec2(x, y));
            sum += vec4(gathered(light.rgb), light.a);
        }
    }
    sum /= samples * samples;
    // The canvas has its last row on top.
    vec3 behind = mix(LOWER, UPPER, coords.y * canvas.extent.w);
    colour = vec4(encoded(stretched(sum.rgb) + (1.0 - sum.a) * behind), 1.0);
}
