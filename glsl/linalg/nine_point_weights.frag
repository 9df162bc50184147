// Formula:   (A x)_i = sum over the four neighbours of w_ij (x_i - x_j) + extra_i x_i; PART 4: the entry on the diagonal, 5, 7, 3, 1: east, north, west, south
// Inputs:    to_east, to_north: the weight from each node to the next; extra (EXTRA 1), all packed 2x2; size of the grid, periodic axes
// Domain and range: twice the texels: element = column + 1, row + 1 of the texel's first element -> all texels
// Edges:     the sampler's; a weight across an edge that is not periodic counts as 0; SEAM as in nine_point.frag
// Reference: Bolz et al., Sparse Matrix Solvers on the GPU, 4; the weights are those of finite volumes
#if PART == 3 || PART == 4 || PART == 5
uniform Stream to_east;
#endif
#if PART == 1 || PART == 4 || PART == 7
uniform Stream to_north;
#endif
#if PART == 4 && EXTRA
uniform Stream extra;
#endif
uniform vec2 size, periodic;
DOMAIN at;
DOMAIN element;
RANGE vec4 entry;

#if PART == 3 || PART == 4 || PART == 5
// 1 for those of the four nodes whose east (1) or west (-1) neighbour is on the grid.
vec4 alongX(float hop) {
    vec4 column = element.x + hop + vec4(-0.5, 0.5, -0.5, 0.5);
    return max(vec4(periodic.x), step(vec4(0.0), column) * step(column, vec4(size.x)));
}

vec4 east() {
    return value2(to_east, at) * alongX(1.0);
}

vec4 west() {
    vec4 own = value2(to_east, at), next = valueOffset(to_east, at, ivec2(-1, 0));
#if SEAM == 1 || SEAM == 3
    if (at.x < 1.0) next.ga = next.rb;
#endif
    return vec4(next.g, own.r, next.a, own.b) * alongX(-1.0);
}
#endif

#if PART == 1 || PART == 4 || PART == 7
vec4 alongY(float hop) {
    vec4 row = element.y + hop + vec4(-0.5, -0.5, 0.5, 0.5);
    return max(vec4(periodic.y), step(vec4(0.0), row) * step(row, vec4(size.y)));
}

vec4 north() {
    return value2(to_north, at) * alongY(1.0);
}

vec4 south() {
    vec4 own = value2(to_north, at), next = valueOffset(to_north, at, ivec2(0, -1));
#if SEAM == 2 || SEAM == 3
    if (at.y < 1.0) next.ba = next.rg;
#endif
    return vec4(next.ba, own.rg) * alongY(-1.0);
}
#endif

void main() {
#if PART == 1
    entry = -south();
#elif PART == 3
    entry = -west();
#elif PART == 5
    entry = -east();
#elif PART == 7
    entry = -north();
#else
    entry = (west() + east()) + (south() + north());
#if EXTRA
    entry += value2(extra, at);
#endif
#endif
    // Padding stays 0.
    vec4 column = element.x + vec4(-0.5, 0.5, -0.5, 0.5), row = element.y + vec4(-0.5, -0.5, 0.5, 0.5);
    entry *= step(column, vec4(size.x)) * step(row, vec4(size.y));
}
