// Formula:   history = the number at the place of its line
// Inputs:    numbers (width x height), places (1 x lines, the centre of each line's texel)
// Domain and range: columns of the history -> the same
// Edges:     clamp, for lines that pad the numbers
// Reference: house
uniform Stream numbers, places;
DOMAIN at;
RANGE float history;

void main() {
    history = value2(numbers, value2(places, vec2(0.5, at.y)).xy).x;
}
