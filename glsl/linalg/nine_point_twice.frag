// Formula:   two sweeps x + w (y - A x), by r = y - A x: x + w (2 r - w A r), A with the same entries c_d at all nodes
// Inputs:    x, y (packed 2x2); low, middle, high: c_d of dy = -1, 0, 1; w; FIVE: those of the corners are 0
// Domain and range: all texels of the vectors
// Edges:     the sampler's: both axes are periodic and have an even number of nodes
// Reference: Bolz et al., Sparse Matrix Solvers on the GPU, 4.2 (Relax), two sweeps as one polynomial of A
uniform Stream x;
uniform Stream y;
uniform vec3 low, middle, high;
uniform float w;
DOMAIN at;
RANGE vec4 result;

// c times a row of x at -1, 0 and 1 along it, for four nodes whose neighbours are in six values.
vec4 along(vec3 c, vec2 one, vec2 two, vec2 three) {
    return c.x * vec4(one, two) + c.y * vec4(one.y, two, three.x) + c.z * vec4(two, three);
}

// The same for the two nodes in the middle of four.
vec2 inside(vec3 c, vec4 r) {
    return c.x * r.xy + c.y * r.yz + c.z * r.zw;
}

void main() {
    vec4 n0 = valueOffset(x, at, ivec2(-1, -1)), n1 = valueOffset(x, at, ivec2(0, -1)), n2 = valueOffset(x, at, ivec2(1, -1));
    vec4 n3 = valueOffset(x, at, ivec2(-1, 0)), n4 = value2(x, at), n5 = valueOffset(x, at, ivec2(1, 0));
    vec4 n6 = valueOffset(x, at, ivec2(-1, 1)), n7 = valueOffset(x, at, ivec2(0, 1)), n8 = valueOffset(x, at, ivec2(1, 1));
    vec4 b1 = valueOffset(y, at, ivec2(0, -1)), b3 = valueOffset(y, at, ivec2(-1, 0)), b4 = value2(y, at);
    vec4 b5 = valueOffset(y, at, ivec2(1, 0)), b7 = valueOffset(y, at, ivec2(0, 1));
#if FIVE
    vec4 b0 = vec4(0.0), b2 = b0, b6 = b0, b8 = b0;
#else
    vec4 b0 = valueOffset(y, at, ivec2(-1, -1)), b2 = valueOffset(y, at, ivec2(1, -1));
    vec4 b6 = valueOffset(y, at, ivec2(-1, 1)), b8 = valueOffset(y, at, ivec2(1, 1));
#endif
    // r in the rows -1 to 2, the texel's own being 0 and 1, and in the columns -1 to 2 of each.
    vec4 r0 = vec4(b0.a, b1.ba, b2.b)
        - (along(low, n0.rg, n1.rg, n2.rg) + along(middle, n0.ba, n1.ba, n2.ba) + along(high, n3.rg, n4.rg, n5.rg));
    vec4 r1 = vec4(b3.g, b4.rg, b5.r)
        - (along(low, n0.ba, n1.ba, n2.ba) + along(middle, n3.rg, n4.rg, n5.rg) + along(high, n3.ba, n4.ba, n5.ba));
    vec4 r2 = vec4(b3.a, b4.ba, b5.b)
        - (along(low, n3.rg, n4.rg, n5.rg) + along(middle, n3.ba, n4.ba, n5.ba) + along(high, n6.rg, n7.rg, n8.rg));
    vec4 r3 = vec4(b6.g, b7.rg, b8.r)
        - (along(low, n3.ba, n4.ba, n5.ba) + along(middle, n6.rg, n7.rg, n8.rg) + along(high, n6.ba, n7.ba, n8.ba));
    vec4 product = vec4(inside(low, r0) + inside(middle, r1) + inside(high, r2),
        inside(low, r1) + inside(middle, r2) + inside(high, r3));
    result = n4 + w * (2.0 * vec4(r1.yz, r2.yz) - w * product);
}
