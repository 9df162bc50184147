// Formula:   result = strip(place along the border, which of its sides)
// Inputs:    strip (the four sides of the border in rows)
// Domain and range: the side's row of the strip -> one side of the border; COLUMN 1: a column, whose domain is turned
// Edges:     none
// Reference: Bolz et al. 2003, 4.2, Texture Layout (copies into the border)
uniform Stream strip;
DOMAIN at;
RANGE vec4 result;

void main() {
#if COLUMN
    result = value2(strip, at.yx);
#else
    result = value2(strip, at);
#endif
}
