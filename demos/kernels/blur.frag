// Formula:   blurred = sum of w(d) image(x + d direction) over |d| <= radius, w a Gaussian of that sigma, sum w = 1
// Inputs:    image (width x height, any components), direction (texels: (1, 0), then (0, 1)), sigma
// Domain and range: the image
// Edges:     those of the stream
// Reference: a separable filter: two passes of n fetches for one of n x n
uniform Stream image;
uniform vec2 direction;
uniform float sigma;
DOMAIN here;
RANGE vec4 blurred;

void main() {
    float radius = ceil(3.0 * sigma);
    vec4 sum = vec4(0.0);
    float weights = 0.0;
    for (float d = -radius; d <= radius; d += 1.0) {
        float weight = exp(-0.5 * d * d / (sigma * sigma));
        sum += weight * value2(image, here + d * direction);
        weights += weight;
    }
    blurred = sum / weights;
}
