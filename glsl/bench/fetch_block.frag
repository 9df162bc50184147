// Formula:   sum = the sum of the 8 x 8 texels around the place
// Inputs:    values, of any format; at lies on the fifth of the eight texels each way
// Domain and range: over the whole of values, as many texels as the target has: next to each other, or eight apart
// Edges:     those of values
// Reference: docs/inspector.md, "A plan for a card": what bounds a pass that fetches much and writes little
uniform Stream values;
DOMAIN at;
RANGE vec4 sum;

#define PAIR(x, y) valueOffset(values, at, ivec2(x, y)) + valueOffset(values, at, ivec2(x + 1, y))
#define ROW(y) (PAIR(-4, y) + PAIR(-2, y) + PAIR(0, y) + PAIR(2, y))

void main() {
    sum = ROW(-4) + ROW(-3) + ROW(-2) + ROW(-1) + ROW(0) + ROW(1) + ROW(2) + ROW(3);
}
