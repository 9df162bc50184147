// Formula:   (pixel, light, share of the bars' colour): the image, left of split the one before; below it (beside: right of it) a strip, at its foot a ramp of the brightnesses, and over that length(bar) / length(top) the bars, and a line along those before
// Inputs:    image and before (width x height), heights and earlier (a row of bars each), most (1x1, the largest of heights), split (of the width), strip and ramp (rows), low_high (of the bins), full (pixels that no bar shows more than), logarithmic, compared and beside (0 or 1)
// Domain and range: the picture, whose rows are those of the image and of the strip, and the bars spread over its width -> the picture
// Edges:     none
// Reference: house; top = min(most, full), length(n) = n, or log(1 + n) where logarithmic
uniform Stream image, before, heights, earlier, most;
uniform float split, strip, ramp, full, logarithmic, compared, beside;
uniform vec2 low_high;
DOMAIN at, bars;
RANGE vec4 shown;

const float GROUND = 0.1, COVER = 0.5, CREST = 0.05; // and how high the crest of a bar is, in heights of the strip

// The part of the longest bar that a bar of so many pixels has.
float part(float count, float top) {
    float cut = min(count, top);
    return logarithmic > 0.0 ? log2(1.0 + cut) / log2(1.0 + top) : cut / top;
}

void main() {
    float place = at.x * image.extent.z, height = image.extent.y + strip - at.y;
    if (beside > 0.0 ? at.x < image.extent.x : height > strip) {
        float pixel = place < split ? value2(before, at).x : value2(image, at).x;
        shown = vec4(pixel, 1.0, 0.0, 0.0);
        return;
    }
    vec2 own_bar = bars, pitch = vec2(heights.extent.x * image.extent.z, 0.0);
    if (beside > 0.0) {
        // Brightness goes up, and bars go away from the image.
        place = 1.0 - at.y * image.extent.w;
        height = at.x - image.extent.x;
        own_bar = vec2(place * heights.extent.x, 0.5);
        pitch.x = heights.extent.x * image.extent.w;
    }
    height -= ramp;
    if (height < 0.0) {
        shown = vec4(mix(low_high.x, low_high.y, place), 1.0, 0.0, 0.0);
        return;
    }
    float high = strip - ramp, top = max(min(value0(most).x, full), 1.0);
    float count = value2(heights, own_bar).x;
    // The end of a bar covers a part of its last pixel.
    float below = high * part(count, top) - height, cover = clamp(below + 0.5, 0.0, 1.0);
    cover *= mix(1.0, COVER, smoothstep(0.0, CREST * strip, below));
    shown = vec4(low_high.x, GROUND, cover, 0.0);
    // A bar that is cut is white at its end.
    if (count > top && height > 0.93 * high) {
        shown = vec4(low_high.y, 1.0, 0.0, 0.0);
    }
    // The line goes up and down between the bar before this pixel and its own.
    float own = high * part(value2(earlier, own_bar).x, top), other = high * part(value2(earlier, own_bar - pitch).x, top);
    if (compared > 0.0 && height > min(own, other) - 0.75 && height < max(own, other) + 0.75) {
        shown = vec4(low_high.y, 1.0, 0.0, 0.0);
    }
}
