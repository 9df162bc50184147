// Formula:   the image; over the lower edge up to share darker, and up to share length(bar) / length(top) lighter: the bars
// Inputs:    image (width x height), heights (a row of bars), most (1x1, the largest of them), share (of the height), full (pixels that no bar shows more than), logarithmic (0 or 1)
// Domain and range: the picture, and the bars spread over its width -> the picture
// Edges:     none
// Reference: house; top = min(most, full), length(n) = n, or log(1 + n) where logarithmic
uniform Stream image, heights, most;
uniform float share, full, logarithmic;
DOMAIN at, bars;
RANGE float shown;

void main() {
    float height = 1.0 - at.y * image.extent.w;
    float top = max(min(value0(most).x, full), 1.0);
    float count = value2(heights, bars).x;
    float part = min(count, top);
    part = logarithmic > 0.0 ? log2(1.0 + part) / log2(1.0 + top) : part / top;
    float pixel = value2(image, at).x;
    // A bar that is cut is white at its end.
    bool cut = count > top && height > 0.93 * share;
    shown = height < share * part ? (cut ? 1.0 : 0.55 + 0.45 * pixel) : height < share ? 0.35 * pixel : pixel;
}
