// Formula:   element(column, row) = the channel of x that holds it
// Inputs:    x (packed 2x2)
// Domain and range: half an element's place, which lies in its texel -> one element a texel
// Edges:     none
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44, 44.3.4 (unpack)
uniform Stream x;
DOMAIN at;
RANGE float element;

void main() {
    vec4 block = value2(x, at);
    vec2 odd = step(0.5, fract(at));
    vec2 row = mix(block.rg, block.ba, bvec2(odd.y > 0.5));
    element = odd.x > 0.5 ? row.y : row.x;
}
