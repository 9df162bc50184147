// Formula:   the height of a cell, or in a wall a number that stands for it
// Inputs:    heights (width x height, R = height), walls (as large, RG: 0, or a wall's number in a pool and on a map), which (0 or 1)
// Domain and range: all cells
// Edges:     none
// Reference: house
uniform Stream heights, walls;
uniform float which;
DOMAIN coords;
RANGE float height;

void main() {
    vec2 wall = value2(walls, coords).xy;
    height = wall.x > 0.0 ? (which > 0.5 ? wall.y : wall.x) : value2(heights, coords).x;
}
