// Formula:   miss = (count - start) - steps: counted minus true
// Inputs:    count, start (columns x 1), steps (made so far, a whole number up to 2^24)
// Domain and range: column = 0 to the number of columns; a band of one panel of the picture
// Edges:     none
// Reference: house; in this order both differences are exact, where start + steps may not be a 32-bit number
uniform Stream count, start;
uniform float steps;
DOMAIN column;
RANGE float miss;

void main() {
    vec2 counter = vec2(floor(column.x) + 0.5, 0.5);
    miss = (value2(count, counter).x - value2(start, counter).x) - steps;
}
