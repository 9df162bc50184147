// Formula:   x(i, j) = channel (p, q) of texel (i + 1 - p seam.x, j + 1 - q seam.y), p = 1 right of the seam, q = 1 above it
// Inputs:    layered (quadrants); nodes = columns and rows of the grid; seam = first node of the right and upper quadrants
// Domain and range: all texels of the packed vector
// Edges:     padding becomes 0
// Reference: Bolz et al. 2003, 4.2, Texture Layout (un-layering)
uniform Stream layered;
uniform vec2 nodes;
uniform vec2 seam;
DOMAIN at;
RANGE vec4 result;

float node(vec2 place) {
    bvec2 beyond = greaterThan(place, seam);
    vec4 four = value2(layered, place - vec2(beyond) * seam + 1.5);
    vec2 row = beyond.y ? four.ba : four.rg;
    float element = beyond.x ? row.y : row.x;
    return all(lessThan(place, nodes)) ? element : 0.0;
}

void main() {
    vec2 first = 2.0 * floor(at);
    result = vec4(
        node(first), node(first + vec2(1.0, 0.0)),
        node(first + vec2(0.0, 1.0)), node(first + vec2(1.0, 1.0)));
}
