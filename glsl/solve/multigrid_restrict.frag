// Formula:   P r(i) = 1/4 sum over e in {-1,0,1}^2 of S^e r(2i + e); FORM 1: also f inverse P r, the first sweep from 0; 2: fine node 2i
// Inputs:    fine (r, packed 2x2) or in the variant ENTRIES x, y and those entries of A, r = y - A x as in nine_point.frag; inverse (that of the coarse matrix, 0 where there is no node; INVERSE 0: one, in factor); wraps of x and y; factor of each channel
// Domain and range: twice the texels, at = the texel of fine node 2i -> all texels of the coarse vectors
// Edges:     beyond the grid is 0 (FORM 2: 1) unless the axis wraps, as the sampler does
// Reference: Bolz et al., Sparse Matrix Solvers on the GPU, 4.2 (projection)
#if ENTRIES
uniform Stream x, y;
#else
uniform Stream fine;
#endif
#if (ENTRIES & 1) != 0
uniform Stream c0;
#endif
#if (ENTRIES & 2) != 0
uniform Stream c1;
#endif
#if (ENTRIES & 4) != 0
uniform Stream c2;
#endif
#if (ENTRIES & 8) != 0
uniform Stream c3;
#endif
#if (ENTRIES & 16) != 0
uniform Stream c4;
#endif
#if (ENTRIES & 32) != 0
uniform Stream c5;
#endif
#if (ENTRIES & 64) != 0
uniform Stream c6;
#endif
#if (ENTRIES & 128) != 0
uniform Stream c7;
#endif
#if (ENTRIES & 256) != 0
uniform Stream c8;
#endif
#if INVERSE
uniform Stream inverse;
#endif
uniform vec4 side; // fine texels along x and y, and 1 where an axis wraps
#if FORM == 1
uniform vec4 factor;
#endif
DOMAIN at;
DOMAIN of_coarse;
RANGE vec4 coarse;
DECLARE_BEGUN

#if ENTRIES
// The term that an entry adds. One of 0 takes no part, whatever x holds there.
vec4 term(vec4 c, vec4 elements) {
    return mix(c * elements, vec4(0.0), equal(c, vec4(0.0)));
}

// y - A x of the texel at an address, 0 where there is no node, of the texel n4 of x and those around it.
vec4 rest(vec2 place, vec4 n0, vec4 n1, vec4 n2, vec4 n3, vec4 n4, vec4 n5, vec4 n6, vec4 n7, vec4 n8) {
    vec4 sum = vec4(0.0), diagonal = sum;
#if (ENTRIES & 1) != 0
    sum += term(textureLod(c0.texels, place, 0.0), vec4(n0.a, n1.b, n3.g, n4.r));
#endif
#if (ENTRIES & 2) != 0
    sum += term(textureLod(c1.texels, place, 0.0), vec4(n1.ba, n4.rg));
#endif
#if (ENTRIES & 4) != 0
    sum += term(textureLod(c2.texels, place, 0.0), vec4(n1.a, n2.b, n4.g, n5.r));
#endif
#if (ENTRIES & 8) != 0
    sum += term(textureLod(c3.texels, place, 0.0), vec4(n3.g, n4.r, n3.a, n4.b));
#endif
#if (ENTRIES & 16) != 0
    diagonal = textureLod(c4.texels, place, 0.0);
    sum += term(diagonal, n4);
#endif
#if (ENTRIES & 32) != 0
    sum += term(textureLod(c5.texels, place, 0.0), vec4(n4.g, n5.r, n4.a, n5.b));
#endif
#if (ENTRIES & 64) != 0
    sum += term(textureLod(c6.texels, place, 0.0), vec4(n3.a, n4.b, n6.g, n7.r));
#endif
#if (ENTRIES & 128) != 0
    sum += term(textureLod(c7.texels, place, 0.0), vec4(n4.ba, n7.rg));
#endif
#if (ENTRIES & 256) != 0
    sum += term(textureLod(c8.texels, place, 0.0), vec4(n4.a, n5.b, n7.g, n8.r));
#endif
    return mix(textureLod(y.texels, place, 0.0) - sum, vec4(0.0), lessThan(abs(diagonal), vec4(1e-30)));
}
#endif

// The full weighting of a node out of its own texel and those to the west, south and southwest.
float weighted(vec4 own, vec4 west, vec4 south, vec4 corner) {
    return 0.25 * own.r + 0.125 * ((own.g + west.g) + (own.b + south.b))
        + 0.0625 * ((own.a + west.a) + (south.a + corner.a));
}

void main() {
    vec3 column = at.x + vec3(-1.0, 0.0, 1.0), row = at.y + vec3(-1.0, 0.0, 1.0);
    vec3 in_x = max(vec3(side.z), step(vec3(0.0), column) * step(column, vec3(side.x)));
    vec3 in_y = max(vec3(side.w), step(vec3(0.0), row) * step(row, vec3(side.y)));
#if ENTRIES
    vec2 here = addressOf(x, at), next = x.extent.zw;
    // x at -1 to 2 in the columns and rows of texels; what lies before them is asked for by no node that counts.
    vec4 x00 = textureLodOffset(x.texels, here, 0.0, ivec2(-1, -1)), x10 = textureLodOffset(x.texels, here, 0.0, ivec2(0, -1));
    vec4 x20 = textureLodOffset(x.texels, here, 0.0, ivec2(1, -1)), x30 = textureLodOffset(x.texels, here, 0.0, ivec2(2, -1));
    vec4 x01 = textureLodOffset(x.texels, here, 0.0, ivec2(-1, 0)), x11 = textureLod(x.texels, here, 0.0);
    vec4 x21 = textureLodOffset(x.texels, here, 0.0, ivec2(1, 0)), x31 = textureLodOffset(x.texels, here, 0.0, ivec2(2, 0));
    vec4 x02 = textureLodOffset(x.texels, here, 0.0, ivec2(-1, 1)), x12 = textureLodOffset(x.texels, here, 0.0, ivec2(0, 1));
    vec4 x22 = textureLodOffset(x.texels, here, 0.0, ivec2(1, 1)), x32 = textureLodOffset(x.texels, here, 0.0, ivec2(2, 1));
    vec4 x03 = textureLodOffset(x.texels, here, 0.0, ivec2(-1, 2)), x13 = textureLodOffset(x.texels, here, 0.0, ivec2(0, 2));
    vec4 x23 = textureLodOffset(x.texels, here, 0.0, ivec2(1, 2)), x33 = textureLodOffset(x.texels, here, 0.0, ivec2(2, 2));
    vec4 e = rest(here, x00, x10, x20, x01, x11, x21, x02, x12, x22);
    vec4 f = rest(here + vec2(1.0, 0.0) * next, x10, x20, x30, x11, x21, x31, x12, x22, x32);
    vec4 h = rest(here + vec2(0.0, 1.0) * next, x01, x11, x21, x02, x12, x22, x03, x13, x23);
    vec4 i = rest(here + vec2(1.0, 1.0) * next, x11, x21, x31, x12, x22, x32, x13, x23, x33);
    vec4 a = rest(here + vec2(-1.0, -1.0) * next, x00, x00, x10, x00, x00, x10, x01, x01, x11);
    vec4 b = rest(here + vec2(0.0, -1.0) * next, x00, x10, x20, x00, x10, x20, x01, x11, x21);
    vec4 c = rest(here + vec2(1.0, -1.0) * next, x10, x20, x30, x10, x20, x30, x11, x21, x31);
    vec4 d = rest(here + vec2(-1.0, 0.0) * next, x00, x00, x10, x01, x01, x11, x02, x02, x12);
    vec4 g = rest(here + vec2(-1.0, 1.0) * next, x01, x01, x11, x02, x02, x12, x03, x03, x13);
#else
    vec4 e = value2(fine, at), f = valueOffset(fine, at, ivec2(1, 0));
    vec4 h = valueOffset(fine, at, ivec2(0, 1)), i = valueOffset(fine, at, ivec2(1, 1));
#if FORM != 2
    vec4 a = valueOffset(fine, at, ivec2(-1, -1));
    vec4 b = valueOffset(fine, at, ivec2(0, -1));
    vec4 c = valueOffset(fine, at, ivec2(1, -1));
    vec4 d = valueOffset(fine, at, ivec2(-1, 0));
    vec4 g = valueOffset(fine, at, ivec2(-1, 1));
#endif
#endif
    vec4 there = vec4(in_x.yz, in_x.yz) * vec4(in_y.yy, in_y.zz);
#if FORM == 2
    coarse = mix(vec4(1.0), vec4(e.r, f.r, h.r, i.r), greaterThan(there, vec4(0.0)));
#else
    e *= there.x; f *= there.y; h *= there.z; i *= there.w;
    a *= in_x.x * in_y.x; b *= in_x.y * in_y.x; c *= in_x.z * in_y.x; d *= in_x.x * in_y.y; g *= in_x.x * in_y.z;
    vec4 sums = vec4(weighted(e, d, b, a), weighted(f, e, c, b), weighted(h, g, e, d), weighted(i, h, f, e));
#if INVERSE
    vec4 inverses = value2(inverse, of_coarse);
    coarse = mix(sums, vec4(0.0), equal(inverses, vec4(0.0)));
#if FORM == 1
    begun = factor * inverses * coarse;
#endif
#else
    coarse = sums;
#if FORM == 1
    begun = factor * sums;
#endif
#endif
#endif
}
