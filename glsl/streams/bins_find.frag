// Formula:   bin = min(floor((v - low) scale), bins - 1) of low <= v <= high; below: bins, above: bins + 1, NaN: bins + 2
// Inputs:    image (bounds.xy pixels, last row bounds.z long), channel (1 at the component counted), low_high, scale, bins
// Domain and range: texel (x, y) stands for pixels (4 x to 4 x + 3, y) -> the bins of four pixels a texel
// Edges:     pixels past the end of a row have bin -1: none
// Reference: house
uniform Stream image;
uniform vec3 bounds;
uniform vec4 channel;
uniform vec2 low_high;
uniform float scale, bins;
DOMAIN at;
RANGE vec4 found;

float bin(vec2 place) {
    vec4 only = mix(vec4(0.0), value2(image, place), greaterThan(channel, vec4(0.5)));
    float v = only.x + only.y + only.z + only.w;
    float inside = min(floor((v - low_high.x) * scale), bins - 1.0);
    float counted = isnan(v) ? bins + 2.0 : v < low_high.x ? bins : v > low_high.y ? bins + 1.0 : inside;
    bool is_pixel = place.x < (place.y > bounds.y - 1.0 ? bounds.z : bounds.x);
    return is_pixel ? counted : -1.0;
}

void main() {
    vec2 place = vec2(4.0 * floor(at.x), floor(at.y)) + 0.5;
    found = vec4(bin(place), bin(place + vec2(1.0, 0.0)), bin(place + vec2(2.0, 0.0)), bin(place + vec2(3.0, 0.0)));
}
