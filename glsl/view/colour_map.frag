// Formula:   colour = palette[s], s = (v - low) / (high - low) or as much of a logarithm, v = dot(channels, element); lines of equal s
// Inputs:    picture (width x height, any components), palette (256 x 1, RGB), channels, low_high, missing (of NaN), lines
// Domain and range: the part of the picture shown -> the part of the target it fills
// Edges:     clamp
// Reference: house
uniform Stream picture, palette;
uniform vec4 channels;
uniform vec2 low_high;
uniform vec3 missing;
#if LINES
uniform float lines;
#endif
DOMAIN coords;
RANGE vec4 colour;

float shown(vec4 element) {
    // A component that is not shown may be NaN or Inf, and 0 times that is NaN.
    return dot(channels, mix(vec4(0.0), element, notEqual(channels, vec4(0.0))));
}

#if SMOOTH || LINES
// Between the middles of the four elements around a place; at the edges the nearest.
float between(vec2 place) {
    vec2 at = clamp(place, vec2(0.5), picture.extent.xy - 0.5), low = floor(at - 0.5) + 0.5, part = at - low;
    vec2 far = min(low + 1.0, picture.extent.xy - 0.5);
    float south = mix(shown(value2(picture, low)), shown(value2(picture, vec2(far.x, low.y))), part.x);
    float north = mix(shown(value2(picture, vec2(low.x, far.y))), shown(value2(picture, far)), part.x);
    return mix(south, north, part.y);
}
#endif

void main() {
    float amount = shown(value2(picture, coords));
#if SMOOTH || LINES
    float smoothed = between(coords);
#endif
#if SMOOTH
    // Beside what is no number an element is a square.
    amount = isnan(smoothed) ? amount : smoothed;
#endif
    float shade = clamp(shareOf(amount, low_high), 0.0, 1.0);
    vec3 rgb = value2(palette, vec2(shade * 255.0 + 0.5, 0.5)).rgb;
#if LINES
    rgb = lined(rgb, lines * shareOf(smoothed, low_high), lines);
#endif
    colour = vec4(isnan(amount) ? missing : rgb, 1.0);
}
