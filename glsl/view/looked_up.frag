// Formula:   element = table(round(n t)), t the number of the element, n = columns x rows of the table, counted row after row
// Inputs:    numbers (0 to 1, k / n), table (columns x rows), sides (columns, rows)
// Domain and range: the numbers -> as many
// Edges:     numbers beyond both ends have the first or the last of the table
// Reference: Harris, Mapping Computational Concepts to GPUs, GPU Gems 2, chapter 31: a gather
uniform Stream numbers, table;
uniform vec2 sides;
DOMAIN at;
RANGE float element;

void main() {
    float number = value2(numbers, at).x;
    float index = clamp(floor(number * sides.x * sides.y + 0.5), 0.0, sides.x * sides.y - 1.0);
    float row = floor((index + 0.5) / sides.x);
    element = value2(table, vec2(index - row * sides.x, row) + 0.5).x;
}
