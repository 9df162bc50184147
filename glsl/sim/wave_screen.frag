// Formula:   (s + h^2, m), and at the end of a period (0, (s + h^2) / n): the sum of the period that runs, the mean of the last one
// Inputs:    heights (width x height, R = h), sums (1 x height, RG = (s, m)), column (a place in heights), share (1 / n at the end, else 0)
// Domain and range: the rows of a column -> its sums, a step later
// Edges:     none
// Reference: the intensity of a wave, the mean of its square over a period
uniform Stream heights, sums;
uniform float column, share;
DOMAIN coords;
RANGE vec2 next;

void main() {
    vec2 before = value2(sums, coords).xy;
    float height = value2(heights, vec2(column, coords.y)).x, sum = before.x + height * height;
    next = share > 0.0 ? vec2(0.0, share * sum) : vec2(sum, before.y);
}
