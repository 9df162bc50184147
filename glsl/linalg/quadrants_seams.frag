// Formula:   the border of the quadrants side by side: rows 0 and 1 are its first and last row, rows 2 and 3 its first and last column
// Inputs:    layered (quadrants), seam = first node of the right and upper quadrants, around = 1 for a periodic axis
// Domain and range: place along the border, which of the four -> all texels of the strip
// Edges:     a quadrant takes what its neighbour has; off the grid is 0, unless the axis is periodic
// Reference: Bolz et al. 2003, 4.2, Texture Layout (copies into the border)
uniform Stream layered;
uniform vec2 seam;
uniform vec2 around;
DOMAIN at;
RANGE vec4 result;

// The texel that holds what belongs to a texel of the border: along an axis the first one continues the node before
// the seam, the last one the node after it, both in the neighbouring quadrant.
float partner(float texel, float last, float before) {
    return texel < 1.0 ? before + 0.5 : texel > last ? 2.5 : texel;
}

// Chosen, not multiplied: 0 times infinity is no 0.
vec4 kept(vec4 four, vec4 is_there) {
    return mix(vec4(0.0), four, greaterThan(is_there, vec4(0.5)));
}

void main() {
    vec2 last = layered.extent.xy - 1.0;
    float side = mod(floor(at.y), 2.0);
    vec2 texel = at.y < 2.0 ? vec2(at.x, side * last.y + 0.5) : vec2(side * last.x + 0.5, at.x);
    vec4 four = value2(layered, vec2(partner(texel.x, last.x, seam.x), partner(texel.y, last.y, seam.y)));
    // Left and right change places, as do lower and upper; off the grid nothing is left.
    if (texel.x < 1.0) four = kept(four.grab, vec4(around.x, 1.0, around.x, 1.0));
    else if (texel.x > last.x) four = kept(four.grab, vec4(1.0, around.x, 1.0, around.x));
    if (texel.y < 1.0) four = kept(four.barg, vec4(around.yy, 1.0, 1.0));
    else if (texel.y > last.y) four = kept(four.barg, vec4(1.0, 1.0, around.yy));
    result = four;
}
