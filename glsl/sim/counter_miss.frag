// Formula:   miss = (count - start) - steps: counted minus true, from -2^24 to 2^24
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
    // A start past the largest number of 16 bits is infinite.
    miss = clamp((value2(count, counter).x - value2(start, counter).x) - steps, -16777216.0, 16777216.0);
}
