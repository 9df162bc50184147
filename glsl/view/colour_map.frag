// Formula:   colour = palette[s], s = (v - low) / (high - low) or as much of a logarithm, v = dot(channels, element); TINT: colour = s tint, pale as much as it is beyond 1; lines of equal s; OVER: mix(min(y, 1) colour + max(y - 1, 0), over, z)
// Inputs:    picture (width x height, any components; OVER: y = light, z = share of `over`), palette (256 x 1, RGB), tint (of the first columns and rows, RGB of brightness 1), channels, low_high, missing (of NaN), lines
// Domain and range: the part of the picture shown -> the part of the target it fills
// Edges:     clamp
// Reference: house
uniform Stream picture, palette;
uniform vec4 channels;
uniform vec2 low_high;
uniform vec3 missing;
#if TINT
uniform Stream tint;
#endif
#if LINES
uniform float lines;
#endif
#if OVER
uniform vec3 over;
#endif
DOMAIN coords;
RANGE vec4 colour;

// The number that is shown, and what lies over its colour.
vec3 shown(vec2 place) {
    vec4 element = value2(picture, place);
    // A component that is not shown may be NaN or Inf, and 0 times that is NaN.
    return vec3(dot(channels, mix(vec4(0.0), element, notEqual(channels, vec4(0.0)))), element.yz);
}

#if SMOOTH || LINES
// Between the middles of the four elements around a place; at the edges the nearest.
vec3 between(vec2 place) {
    vec2 at = clamp(place, vec2(0.5), picture.extent.xy - 0.5), low = floor(at - 0.5) + 0.5, part = at - low;
    vec2 far = min(low + 1.0, picture.extent.xy - 0.5);
    vec3 south = mix(shown(low), shown(vec2(far.x, low.y)), part.x);
    vec3 north = mix(shown(vec2(low.x, far.y)), shown(far), part.x);
    return mix(south, north, part.y);
}
#endif

#if TINT
// The colour of that brightness, 0 to 1, with the hue of `hue`; mixed with grey as far as no part of it is beyond 1.
vec3 tinted(float bright, vec3 hue) {
    float most = bright * max(hue.r, max(hue.g, hue.b));
    float kept = most > 1.0 ? (1.0 - bright) / (most - bright) : 1.0;
    return bright + kept * bright * (hue - 1.0);
}
#endif

void main() {
    vec3 amount = shown(coords);
#if SMOOTH || LINES
    vec3 smoothed = between(coords);
#endif
#if SMOOTH
    // Beside what is no number an element is a square.
    amount = isnan(smoothed.x) ? amount : smoothed;
#endif
    float shade = clamp(shareOf(amount.x, low_high), 0.0, 1.0);
    vec3 rgb = value2(palette, vec2(shade * 255.0 + 0.5, 0.5)).rgb;
#if TINT
    if (coords.x < tint.extent.x && coords.y < tint.extent.y) {
        rgb = tinted(shade, value2(tint, coords).rgb);
    }
#endif
#if LINES
    rgb = lined(rgb, lines * shareOf(smoothed.x, low_high), lines);
#endif
    rgb = isnan(amount.x) ? missing : rgb;
#if OVER
    rgb = mix(min(amount.y, 1.0) * rgb + max(amount.y - 1.0, 0.0), over, amount.z);
#endif
    colour = vec4(rgb, 1.0);
}
