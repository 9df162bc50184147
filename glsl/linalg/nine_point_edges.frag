// Formula:   entry of (dx, dy), 0 where (i + dx, j + dy) is off the grid
// Inputs:    entry (packed 2x2); hop (dx, dy), 0 along an axis that is periodic; size of the grid
// Domain and range: twice the texels: at = column + 1, row + 1 of the texel's first element -> all texels
// Edges:     none
// Reference: Bolz et al., Sparse Matrix Solvers on the GPU, 4.2: accesses out of bounds are clamped to zero
uniform Stream entry;
uniform vec2 hop, size;
DOMAIN at;
DOMAIN element;
RANGE vec4 kept;

void main() {
    vec4 column = element.x + hop.x + vec4(-0.5, 0.5, -0.5, 0.5), row = element.y + hop.y + vec4(-0.5, -0.5, 0.5, 0.5);
    vec4 low = step(vec4(0.0), min(column, row));
    vec4 high = step(max(column - size.x, row - size.y), vec4(0.0));
    kept = mix(vec4(0.0), value2(entry, at), greaterThan(low * high, vec4(0.0)));
}
