// Formula:   channel (p, q) of texel (i, j) = x(i - 1 + p seam.x, j - 1 + q seam.y), counted around a periodic grid; 0 off the grid
// Inputs:    x (packed 2x2); nodes = columns and rows of the grid; seam = first node of the right and upper quadrants; around = 1 for a periodic axis
// Domain and range: all texels of the quadrants, their border among them
// Edges:     what lies off the grid, and padding, is 0
// Reference: Bolz et al. 2003, 4.2, Texture Layout (layering)
uniform Stream x;
uniform vec2 nodes;
uniform vec2 seam;
uniform vec2 around;
DOMAIN at;
RANGE vec4 result;

float node(vec2 place) {
    vec2 beyond = vec2(lessThan(place, vec2(0.0))) - vec2(greaterThanEqual(place, nodes));
    place += around * beyond * nodes;
    bool inside = all(greaterThanEqual(place, vec2(0.0))) && all(lessThan(place, nodes));
    return inside ? valuePacked(x, place) : 0.0;
}

void main() {
    vec2 left = floor(at) - 1.0, right = left + seam;
    result = vec4(node(left), node(vec2(right.x, left.y)), node(vec2(left.x, right.y)), node(right));
}
