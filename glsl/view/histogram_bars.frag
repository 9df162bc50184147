// Formula:   the image; over the lower edge up to share darker, and up to share count / most lighter: the bars
// Inputs:    image (width x height), counts (a row of bins), most (1x1, the largest count), share (of the height)
// Domain and range: the picture, and the bins spread over its width -> the picture
// Edges:     none
// Reference: house
uniform Stream image, counts, most;
uniform float share;
DOMAIN at, bins;
RANGE float shown;

void main() {
    float height = 1.0 - at.y * image.extent.w;
    float bar = share * value2(counts, bins).x / max(value0(most).x, 1.0);
    float pixel = value2(image, at).x;
    shown = height < bar ? 0.55 + 0.45 * pixel : height < share ? 0.35 * pixel : pixel;
}
