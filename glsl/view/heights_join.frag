// Formula:   the left half of one field beside the right half of another
// Inputs:    left, right (both width x height, R = height)
// Domain and range: all cells
// Edges:     a cell in the middle is the right one's
// Reference: house
uniform Stream left, right;
RANGE float height;

void main() {
    vec2 at = gl_FragCoord.xy;
    float half_width = 0.5 * left.extent.x;
    height = at.x < half_width - 0.25 ? value2(left, at).x : value2(right, at).x;
}
