// Formula:   gradient = ((E - W) / 2 h, (S - N) / 2 h); laplacian = (E + W + N + S - 4 C) / h^2
// Inputs:    image (its first component), factors (1 / 2 h, 1 / h^2)
// Domain and range: the whole image -> two targets of its size
// Edges:     those of the image
// Reference: Harris, Mapping Computational Concepts to GPUs, 31.3.5 (several targets)
uniform Stream image;
uniform vec2 factors;
DOMAIN at;
RANGE vec2 gradient;
RANGE float laplacian;

void main() {
    float centre = value2(image, at).x;
    float east = valueOffset(image, at, ivec2(1, 0)).x, west = valueOffset(image, at, ivec2(-1, 0)).x;
    float south = valueOffset(image, at, ivec2(0, 1)).x, north = valueOffset(image, at, ivec2(0, -1)).x;
    gradient = vec2(east - west, south - north) * factors.x;
    laplacian = ((east - centre) + (west - centre) + (north - centre) + (south - centre)) * factors.y;
}
