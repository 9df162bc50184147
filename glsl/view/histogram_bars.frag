// Formula:   the image; over the lower edge up to share darker, and up to share bar / most lighter: the bars
// Inputs:    image (width x height), heights (a row of bars), most (1x1, the largest of them), share (of the height)
// Domain and range: the picture, and the bars spread over its width -> the picture
// Edges:     none
// Reference: house
uniform Stream image, heights, most;
uniform float share;
DOMAIN at, bars;
RANGE float shown;

void main() {
    float height = 1.0 - at.y * image.extent.w;
    float bar = share * value2(heights, bars).x / max(value0(most).x, 1.0);
    float pixel = value2(image, at).x;
    shown = height < bar ? 0.55 + 0.45 * pixel : height < share ? 0.35 * pixel : pixel;
}
