// Formula:   result = the 2x2 elements of `grid` that share a texel
// Inputs:    grid (one element a texel), bounds (columns, rows and length of the last row)
// Domain and range: column + 1/2, row + 1/2 of the first element -> all texels of the vector
// Edges:     padding becomes 0
// Reference: Krueger & Westermann, GPU Gems 2 ch. 44, 44.3.4 (repack)
uniform Stream grid;
uniform vec3 bounds;
DOMAIN at;
RANGE vec4 result;

void main() {
    vec4 block = vec4(
        value2(grid, at).x, valueOffset(grid, at, ivec2(1, 0)).x,
        valueOffset(grid, at, ivec2(0, 1)).x, valueOffset(grid, at, ivec2(1, 1)).x);
    vec4 column = at.x + vec4(0.0, 1.0, 0.0, 1.0), row = at.y + vec4(0.0, 0.0, 1.0, 1.0);
    vec4 ends = mix(vec4(bounds.x), vec4(bounds.z), greaterThan(row, vec4(bounds.y - 1.0)));
    vec4 inside = vec4(lessThan(column, ends)) * vec4(lessThan(row, vec4(bounds.y)));
    result = mix(vec4(0.0), block, greaterThan(inside, vec4(0.0)));
}
