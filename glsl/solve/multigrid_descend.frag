// Formula:   P (y - A x), P r(i) = 1/4 sum over e in {-1,0,1}^2 of S^e r(2i + e), A with the same entries c_d at all nodes; begun = f times that
// Inputs:    x, y (packed 2x2, on the fine grid); low, middle, high: c_d of dy = -1, 0, 1; factor of each channel
// Domain and range: twice the texels, at = the texel of fine node 2i -> all texels of the coarse vectors
// Edges:     the sampler's: both axes are periodic and have an even number of nodes, on the coarse grid too
// Reference: Bolz et al., Sparse Matrix Solvers on the GPU, 4.2 (projection of the residual)
uniform Stream x;
uniform Stream y;
uniform vec3 low, middle, high;
#if BEGIN
uniform vec4 factor;
#endif
DOMAIN at;
RANGE vec4 coarse;
DECLARE_BEGUN

// A row of nodes: those at -2 to 1 and those at 2 to 5 of the texel's columns, of which 5 is not asked for.
struct Row {
    vec4 left, right;
};

// c times a row at -1, 0 and 1 along it, in the columns -1 to 2.
vec4 along(vec3 c, Row row) {
    return c.x * row.left + c.y * vec4(row.left.yzw, row.right.x) + c.z * vec4(row.left.zw, row.right.xy);
}

// The same in the column 3.
float last(vec3 c, Row row) {
    return dot(c, row.right.xyz);
}

// y - A x in five columns, -1 to 3, weighted along them for the nodes 0 and 2.
vec2 weighted(vec4 side, float after, Row under, Row row, Row over) {
    vec4 r = side - (along(low, under) + along(middle, row) + along(high, over));
    float end = after - (last(low, under) + last(middle, row) + last(high, over));
    return vec2(0.5 * r.y + 0.25 * (r.x + r.z), 0.5 * r.w + 0.25 * (r.z + end));
}

void main() {
    vec4 a0 = valueOffset(x, at, ivec2(-1, -1)), a1 = valueOffset(x, at, ivec2(0, -1));
    vec4 a2 = valueOffset(x, at, ivec2(1, -1)), a3 = valueOffset(x, at, ivec2(2, -1));
    vec4 m0 = valueOffset(x, at, ivec2(-1, 0)), m1 = value2(x, at);
    vec4 m2 = valueOffset(x, at, ivec2(1, 0)), m3 = valueOffset(x, at, ivec2(2, 0));
    vec4 n0 = valueOffset(x, at, ivec2(-1, 1)), n1 = valueOffset(x, at, ivec2(0, 1));
    vec4 n2 = valueOffset(x, at, ivec2(1, 1)), n3 = valueOffset(x, at, ivec2(2, 1));
    vec4 z0 = valueOffset(x, at, ivec2(-1, 2)), z1 = valueOffset(x, at, ivec2(0, 2));
    vec4 z2 = valueOffset(x, at, ivec2(1, 2)), z3 = valueOffset(x, at, ivec2(2, 2));
    // The rows -2 to 4; those of the texel are 0 and 1.
    Row x0 = Row(vec4(a0.rg, a1.rg), vec4(a2.rg, a3.rg)), x1 = Row(vec4(a0.ba, a1.ba), vec4(a2.ba, a3.ba));
    Row x2 = Row(vec4(m0.rg, m1.rg), vec4(m2.rg, m3.rg)), x3 = Row(vec4(m0.ba, m1.ba), vec4(m2.ba, m3.ba));
    Row x4 = Row(vec4(n0.rg, n1.rg), vec4(n2.rg, n3.rg)), x5 = Row(vec4(n0.ba, n1.ba), vec4(n2.ba, n3.ba));
    Row x6 = Row(vec4(z0.rg, z1.rg), vec4(z2.rg, z3.rg));
    vec4 b0 = valueOffset(y, at, ivec2(-1, -1)), b1 = valueOffset(y, at, ivec2(0, -1)), b2 = valueOffset(y, at, ivec2(1, -1));
    vec4 b3 = valueOffset(y, at, ivec2(-1, 0)), b4 = value2(y, at), b5 = valueOffset(y, at, ivec2(1, 0));
    vec4 b6 = valueOffset(y, at, ivec2(-1, 1)), b7 = valueOffset(y, at, ivec2(0, 1)), b8 = valueOffset(y, at, ivec2(1, 1));
    vec2 w0 = weighted(vec4(b0.a, b1.ba, b2.b), b2.a, x0, x1, x2);
    vec2 w1 = weighted(vec4(b3.g, b4.rg, b5.r), b5.g, x1, x2, x3);
    vec2 w2 = weighted(vec4(b3.a, b4.ba, b5.b), b5.a, x2, x3, x4);
    vec2 w3 = weighted(vec4(b6.g, b7.rg, b8.r), b8.g, x3, x4, x5);
    vec2 w4 = weighted(vec4(b6.a, b7.ba, b8.b), b8.a, x4, x5, x6);
    // Half of S along each axis: P is a quarter of both.
    coarse = vec4(0.5 * w1 + 0.25 * (w0 + w2), 0.5 * w3 + 0.25 * (w2 + w4));
#if BEGIN
    begun = factor * coarse;
#endif
}
