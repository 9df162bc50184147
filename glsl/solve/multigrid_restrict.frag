// Formula:   P r(i) = 1/4 sum over e in {-1,0,1}^2 of S^e r(2i + e); FORM 1: also f inverse P r, the first sweep from 0; 2: fine node 2i
// Inputs:    fine (r, packed 2x2); inverse (that of the coarse matrix, 0 where there is no node; INVERSE 0: one, in factor); wraps of x and y; factor of each channel
// Domain and range: twice the texels, at = the texel of fine node 2i -> all texels of the coarse vectors
// Edges:     beyond the grid is 0 (FORM 2: 1) unless the axis wraps, as the sampler does
// Reference: Bolz et al., Sparse Matrix Solvers on the GPU, 4.2 (projection)
uniform Stream fine;
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

// The full weighting of a node out of its own texel and those to the west, south and southwest.
float weighted(vec4 own, vec4 west, vec4 south, vec4 corner) {
    return 0.25 * own.r + 0.125 * ((own.g + west.g) + (own.b + south.b))
        + 0.0625 * ((own.a + west.a) + (south.a + corner.a));
}

void main() {
    vec3 column = at.x + vec3(-1.0, 0.0, 1.0), row = at.y + vec3(-1.0, 0.0, 1.0);
    vec3 in_x = max(vec3(side.z), step(vec3(0.0), column) * step(column, vec3(side.x)));
    vec3 in_y = max(vec3(side.w), step(vec3(0.0), row) * step(row, vec3(side.y)));
    vec4 e = value2(fine, at), f = valueOffset(fine, at, ivec2(1, 0));
    vec4 h = valueOffset(fine, at, ivec2(0, 1)), i = valueOffset(fine, at, ivec2(1, 1));
    vec4 there = vec4(in_x.yz, in_x.yz) * vec4(in_y.yy, in_y.zz);
#if FORM == 2
    coarse = mix(vec4(1.0), vec4(e.r, f.r, h.r, i.r), greaterThan(there, vec4(0.0)));
#else
    e *= there.x; f *= there.y; h *= there.z; i *= there.w;
    vec4 a = in_x.x * in_y.x * valueOffset(fine, at, ivec2(-1, -1));
    vec4 b = in_x.y * in_y.x * valueOffset(fine, at, ivec2(0, -1));
    vec4 c = in_x.z * in_y.x * valueOffset(fine, at, ivec2(1, -1));
    vec4 d = in_x.x * in_y.y * valueOffset(fine, at, ivec2(-1, 0));
    vec4 g = in_x.x * in_y.z * valueOffset(fine, at, ivec2(-1, 1));
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
