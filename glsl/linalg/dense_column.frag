// Formula:   a column of texels = the texels of a vector, row after row
// Inputs:    column (packed 2x2), its first row of texels that the page holds
// Domain and range: the texels of one column of a page
// Edges:     none
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44, 44.2.2
uniform Stream column;
uniform float first;
DOMAIN at;
RANGE vec4 result;

void main() {
    float row = floor(at.y * column.extent.z); // at.y is half a texel from any multiple of the width
    result = value2(column, vec2(at.y - row * column.extent.x, first + row + 0.5));
}
