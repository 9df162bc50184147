// Formula:   along one axis: coarse^d(i) = sum over e, g in {-1,0,1} of w_g(e) fine^g(2i + e), w_g(e) = scale S(e) S(e + g - 2d)
// Inputs:    fine^g (packed 2x2) for each g in ENTRIES (bit g + 1); low, own and high: w for g = -1, 0, 1; side; seam
// Domain and range: along the axis twice the texels, at = the texel of fine node 2i -> all texels of the coarse entry
// Edges:     what is beyond the grid is 0 unless the axis wraps, as the sampler does; SEAM 1: odd and periodic, its last node is beside its first
// Reference: Bolz et al., Sparse Matrix Solvers on the GPU, 4.2 (composition of stencils), taken axis by axis
#if (ENTRIES & 1) != 0
uniform Stream fine_low;
#endif
#if (ENTRIES & 2) != 0
uniform Stream fine_own;
#endif
#if (ENTRIES & 4) != 0
uniform Stream fine_high;
#endif
#if (ENTRIES & 1) != 0
uniform vec3 low;
#endif
#if (ENTRIES & 2) != 0
uniform vec3 own;
#endif
#if (ENTRIES & 4) != 0
uniform vec3 high;
#endif
uniform vec3 side; // coarse nodes, fine texels, and 1 where the axis wraps
#if SEAM
uniform vec2 seam; // w for the steps over the seam: from the first node back, from the last one on
#endif
DOMAIN at;
RANGE vec4 coarse;

#if AXIS == 0
#define ALONG x
#define STEP ivec2(1, 0)
#define EVEN rb
#define ODD ga
#define WOVEN(one, other) vec4((one).x, (other).x, (one).y, (other).y)
#else
#define ALONG y
#define STEP ivec2(0, 1)
#define EVEN rg
#define ODD ba
#define WOVEN(one, other) vec4(one, other)
#endif

// w(-1), w(0) and w(1), the middle one for each of the four coarse nodes, times the fine nodes around 2i.
vec4 weighted(vec3 w, vec4 middle, vec4 before, vec4 here, vec4 after) {
    return w.x * WOVEN(before.ODD, here.ODD) + middle * WOVEN(here.EVEN, after.EVEN) + w.z * WOVEN(here.ODD, after.ODD);
}

void main() {
    vec3 place = at.ALONG + vec3(-1.0, 0.0, 1.0);
    vec3 there = max(vec3(side.z), step(vec3(0.0), place) * step(place, vec3(side.y)));
    // The coarse node along the axis of each channel.
    vec4 node = at.ALONG - 0.5 + WOVEN(vec2(0.0), vec2(1.0));
    vec4 sum = vec4(0.0), middle;
#if (ENTRIES & 1) != 0
    middle = vec4(low.y);
#if SEAM
    middle = mix(middle, vec4(seam.x), lessThan(node, vec4(0.5)));
#endif
    sum += weighted(low, middle, there.x * valueOffset(fine_low, at, -STEP),
        there.y * value2(fine_low, at), there.z * valueOffset(fine_low, at, STEP));
#endif
#if (ENTRIES & 2) != 0
    sum += weighted(own, vec4(own.y), there.x * valueOffset(fine_own, at, -STEP),
        there.y * value2(fine_own, at), there.z * valueOffset(fine_own, at, STEP));
#endif
#if (ENTRIES & 4) != 0
    middle = vec4(high.y);
#if SEAM
    middle = mix(middle, vec4(seam.y), greaterThan(node, vec4(side.x - 1.5)));
#endif
    sum += weighted(high, middle, there.x * valueOffset(fine_high, at, -STEP),
        there.y * value2(fine_high, at), there.z * valueOffset(fine_high, at, STEP));
#endif
    coarse = mix(vec4(0.0), sum, lessThan(node, vec4(side.x - 0.5)));
}
