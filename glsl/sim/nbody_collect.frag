// Formula:   acceleration(i) = totals(i - first)
// Inputs:    totals (a row: what pulls each body of a tile, summed), width (of the array), first (body), count (bodies)
// Domain and range: those rows of the folded array that the tile is about
// Edges:     0 after the last body, so that what lies there stays where it is
// Reference: Harris, course slides, Computing Total Force: "a 1-D array of total forces", folded as the bodies are
uniform Stream totals;
uniform float width, first, count;
DOMAIN at;
RANGE vec4 acceleration;

void main() {
    vec2 texel = floor(at);
    float body = texel.y * width + texel.x;
    acceleration = body < count ? value2(totals, vec2(body - first + 0.5, 0.5)) : vec4(0.0);
}
