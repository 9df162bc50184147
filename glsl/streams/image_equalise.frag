// Formula:   next = v + rate (low + (high - low) c(v) - v), c the part of all counted pixels that lie below v
// Inputs:    image, sums (of the counts: how many pixels up to and with each bin), low_high, scale, bins, rate
// Domain and range: the pixels of the image -> the same
// Edges:     none; a pixel outside the bins, or NaN, stays; all do if nothing was counted
// Reference: Gonzalez & Woods, Digital Image Processing, 3.3.1
//
// Within a bin c rises linearly, so neither c nor the image has steps.
uniform Stream image, sums;
uniform vec2 low_high;
uniform float scale, bins, rate;
DOMAIN at;
RANGE float next;

float counted(float up_to) {
    return up_to < 0.0 ? 0.0 : value(sums, up_to).x;
}

void main() {
    float v = value2(image, at).x, place = (v - low_high.x) * scale;
    float bin = min(floor(place), bins - 1.0), below = counted(bin - 1.0);
    float part = below + (place - bin) * (counted(bin) - below);
    float all = counted(bins - 1.0), wanted = low_high.x + (low_high.y - low_high.x) * (part / all);
    next = all > 0.0 && v >= low_high.x && v <= low_high.y ? v + rate * (wanted - v) : v;
}
