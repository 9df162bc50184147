// Formula:   merged[i] = max(counts at first, counts at last)
// Inputs:    counts (a row)
// Domain and range: the row, and the row moved to the right -> a row as long or shorter
// Edges:     clamp: beyond its end the row goes on with its last element
// Reference: house
uniform Stream counts;
DOMAIN first, last;
RANGE float merged;

void main() {
    merged = max(value2(counts, first).x, value2(counts, last).x);
}
