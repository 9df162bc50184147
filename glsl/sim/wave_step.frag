// Formula:   (y', y) with y' = 2 y - y_last + beta (sum4(y) - 4 y)
// Inputs:    heights (width x height, RG = (y, y_last)), beta = c^2 dt^2 / h^2, stable up to 1/2
// Domain and range: the grid, one step later
// Edges:     those of the stream: clamp lets the water slide up and down (y beyond the edge is y at the edge)
// Reference: Krueger & Westermann, A GPU Framework for Solving Systems of Linear Equations, 44.4, one cell a texel
uniform Stream heights;
uniform float beta;
DOMAIN coords;
RANGE vec2 next;

void main() {
    vec2 here = value2(heights, coords).xy;
    float around = valueOffset(heights, coords, ivec2(1, 0)).x + valueOffset(heights, coords, ivec2(-1, 0)).x;
    around += valueOffset(heights, coords, ivec2(0, 1)).x + valueOffset(heights, coords, ivec2(0, -1)).x;
    next = vec2(2.0 * here.x - here.y + beta * (around - 4.0 * here.x), here.x);
}
