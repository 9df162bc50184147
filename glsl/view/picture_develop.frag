// Formula:   sRGB of the mean of samples x samples texels, over a background where the canvas is empty
// Inputs:    canvas (samples times the picture's sides, linear light, alpha = covered), samples
// Domain and range: the canvas -> the picture
// Edges:     clamp
// Reference: IEC 61966-2-1 (sRGB)
uniform Stream canvas;
uniform float samples;
DOMAIN coords;
RANGE vec4 colour;

vec3 encoded(vec3 x) {
    x = clamp(x, 0.0, 1.0);
    return mix(12.92 * x, 1.055 * pow(max(x, 1e-6), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, x));
}

void main() {
    vec2 first = coords - 0.5 * samples + 0.5;
    vec4 sum = vec4(0.0);
    for (float y = 0.0; y < samples; y += 1.0) {
        for (float x = 0.0; x < samples; x += 1.0) {
            vec4 light = value2(canvas, first + vec2(x, y));
            sum += vec4(min(light.rgb, 1.0), light.a); // clipped as a film does, or highlights have stairs
        }
    }
    sum /= samples * samples;
    // The canvas has its last row on top.
    vec3 behind = mix(vec3(0.011, 0.013, 0.018), vec3(0.045, 0.06, 0.08), coords.y * canvas.extent.w);
    colour = vec4(encoded(sum.rgb + (1.0 - sum.a) * behind), 1.0);
}
