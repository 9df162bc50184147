// Formula:   q' = remaining q
// Inputs:    field, q, one to four numbers; remaining, 0 to 1
// Domain and range: all elements of the field
// Edges:     none
// Reference: Stam, Stable Fluids, 1999, section 4 (dissipation)
uniform Stream field;
uniform float remaining;
DOMAIN at;
RANGE vec4 faded;

void main() {
    faded = remaining * value2(field, at);
}
