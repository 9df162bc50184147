// Formula:   entry of (dx, dy), 0 where (i + dx, j + dy) is off the grid; MARKS 1: or where a mark is 0, there or at (i, j)
// Inputs:    entry, marks (packed 2x2); hop (dx, dy); size of the grid, and 1 for each axis that is periodic
// Domain and range: twice the texels: element = column + 1, row + 1 of the texel's first element -> all texels of the entry
// Edges:     an axis that is periodic goes on at its other end
// Reference: Bolz et al., Sparse Matrix Solvers on the GPU, 4.2: accesses out of bounds are clamped to zero
uniform Stream entry;
#if MARKS
uniform Stream marks;
#endif
uniform vec2 hop;
uniform vec4 grid; // size, periodic
DOMAIN at;
DOMAIN element;
RANGE vec4 kept;

// True if the element has that neighbour.
float there(vec2 own) {
    vec2 to = own + hop;
    to += grid.zw * grid.xy * (step(to, vec2(-1.0)) - step(grid.xy, to));
    vec2 inside = step(vec2(0.0), to) * step(to, grid.xy - 1.0);
#if MARKS
    inside.x *= float(valuePacked(marks, to) != 0.0);
#endif
    return inside.x * inside.y;
}

void main() {
    vec2 first = floor(element - 0.5); // a whole number, whatever interpolation has left of it
    vec4 both = vec4(there(first), there(first + vec2(1.0, 0.0)), there(first + vec2(0.0, 1.0)), there(first + 1.0));
#if MARKS
    both *= vec4(notEqual(value2(marks, at), vec4(0.0)));
#endif
    kept = mix(vec4(0.0), value2(entry, at), greaterThan(both, vec4(0.0)));
}
