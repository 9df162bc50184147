// Formula:   (pixel, light, share of the bars' colour): over the lower edge a ramp of the brightnesses, over it up to share darker, and up to share length(bar) / length(top) the bars
// Inputs:    image (width x height), heights (a row of bars), most (1x1, the largest of them), share and ramp (of the height), low_high (of the bins), full (pixels that no bar shows more than), logarithmic (0 or 1)
// Domain and range: the picture, and the bars spread over its width -> the picture
// Edges:     none
// Reference: house; top = min(most, full), length(n) = n, or log(1 + n) where logarithmic
uniform Stream image, heights, most;
uniform float share, ramp, full, logarithmic;
uniform vec2 low_high;
DOMAIN at, bars;
RANGE vec4 shown;

const float SHADED = 0.4, COVER = 0.5, CREST = 0.012; // and how high the crest of a bar is, in heights of the picture

void main() {
    float pixel = value2(image, at).x, height = 1.0 - at.y * image.extent.w - ramp, high = share - ramp;
    float top = max(min(value0(most).x, full), 1.0);
    float count = value2(heights, bars).x;
    float part = min(count, top);
    part = logarithmic > 0.0 ? log2(1.0 + part) / log2(1.0 + top) : part / top;
    // The end of a bar covers a part of its last pixel.
    float below = high * part - height, cover = clamp(below * image.extent.y + 0.5, 0.0, 1.0);
    cover *= mix(1.0, COVER, smoothstep(0.0, CREST, below));
    // A bar that is cut is white at its end.
    bool cut = count > top && height > 0.93 * high;
    shown = vec4(pixel, 1.0, 0.0, 0.0);
    if (height < 0.0) {
        shown.x = mix(low_high.x, low_high.y, at.x * image.extent.z);
    } else if (height < high) {
        shown.yz = cut ? vec2(2.0, 0.0) : vec2(SHADED, cover);
    }
}
