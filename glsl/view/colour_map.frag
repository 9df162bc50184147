// Formula:   colour = palette[(dot(channels, element) - low) / (high - low)]
// Inputs:    picture (width x height, any components), palette (256 x 1, RGB), channels, low_high, missing (of NaN)
// Domain and range: the part of the picture shown -> the part of the target it fills
// Edges:     clamp
// Reference: house
uniform Stream picture, palette;
uniform vec4 channels;
uniform vec2 low_high;
uniform vec3 missing;
DOMAIN coords;
RANGE vec4 colour;

void main() {
    // A component that is not shown may be NaN or Inf, and 0 times that is NaN.
    vec4 shown = mix(vec4(0.0), value2(picture, coords), notEqual(channels, vec4(0.0)));
    float amount = dot(channels, shown);
    float shade = clamp((amount - low_high.x) / (low_high.y - low_high.x), 0.0, 1.0);
    vec3 rgb = value2(palette, vec2(shade * 255.0 + 0.5, 0.5)).rgb;
    colour = vec4(isnan(amount) ? missing : rgb, 1.0);
}
