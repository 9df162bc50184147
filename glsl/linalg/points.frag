// Formula:   result += the sum that the vertex made, in the channel of its row
// Inputs:    from the vertex
// Domain and range: the texel of the row; blending adds the points of a row
// Edges:     none
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44, 44.3.3
flat in vec4 sum_of_four;
RANGE vec4 result;

void main() {
    result = sum_of_four;
}
