// Formula:   result(x, y) = combine of STEP_X x STEP_Y elements of `values`, as a tree, left to right
// Inputs:    values (bounds.x x bounds.y, last row bounds.z long), stride between the elements read
// Domain and range: the first element of each group -> ceil(width / STEP_X) x ceil(height / STEP_Y)
// Edges:     elements beyond the bounds are the identity
// Reference: Harris, Mapping Computational Concepts to GPUs, 31.3.7; Krueger & Westermann, 44.2.4
//
// The elements of the first pass: `values` (TERM 0), values * others (1), |values| (2), or, with values, others
// and residual for p, q and r, the sums (p.q, q.Mq, r.Mq, r.r) of each texel, M = 1 (3) or `inverse` (4).
// PAIR: two reductions at once, of `seconds` beside `values`; the first pass of TERM 3 and 4 begins the second with p.r.
// FOLD: the last pass combines the four components too.
uniform Stream values;
#if PAIR && TERM == 0
uniform Stream seconds;
#endif
#if TERM == 1 || TERM >= 3
uniform Stream others;
#endif
#if TERM >= 3
uniform Stream residual;
#endif
#if TERM == 4
uniform Stream inverse;
#endif
uniform vec2 stride;
uniform vec3 bounds;
uniform vec4 identity;
DOMAIN first;
#if FOLD
RANGE float result;
#else
RANGE vec4 result;
#endif
DECLARE_SECOND

vec4 combine(vec4 a, vec4 b) {
    return COMBINE;
}

vec4 term(vec2 address) {
#if TERM == 1
    return textureLod(values.texels, address, 0.0) * textureLod(others.texels, address, 0.0);
#elif TERM == 2
    return abs(textureLod(values.texels, address, 0.0));
#elif TERM >= 3
    vec4 p = textureLod(values.texels, address, 0.0);
    vec4 q = textureLod(others.texels, address, 0.0);
    vec4 r = textureLod(residual.texels, address, 0.0);
#if TERM == 4
    vec4 mq = textureLod(inverse.texels, address, 0.0) * q;
#else
    vec4 mq = q;
#endif
    return vec4(dot(p, q), dot(q, mq), dot(r, mq), dot(r, r));
#else
    return textureLod(values.texels, address, 0.0);
#endif
}

#if PAIR
vec4 second_term(vec2 address) {
#if TERM == 0
    return textureLod(seconds.texels, address, 0.0);
#else
    return vec4(dot(textureLod(values.texels, address, 0.0), textureLod(residual.texels, address, 0.0)));
#endif
}
#endif

#if GUARD == 0
vec2 address(float i, float j) {
    return addressOf(values, first) + vec2(i, j) * HOP;
}

vec4 kept(vec4 found, float i, float j) {
    return found;
}
#else
vec2 address(float i, float j) {
    return addressOf(values, FIRST + vec2(i, j) * stride);
}

vec4 kept(vec4 found, float i, float j) {
    vec2 at = FIRST + vec2(i, j) * stride;
    bool inside = all(lessThan(at, bounds.xy));
#if GUARD == 2 // the last row of a folded array is part empty
    inside = inside && (at.y < bounds.y - 1.0 || at.x < bounds.z);
#endif
    return inside ? found : identity;
}
#endif

#define element(i, j) kept(term(address(i, j)), i, j)

#define X1(i, j) element(i, j)
#define X2(i, j) combine(X1(i, j), X1(i + 1.0, j))
#define X4(i, j) combine(X2(i, j), X2(i + 2.0, j))
#define X8(i, j) combine(X4(i, j), X4(i + 4.0, j))
#define X16(i, j) combine(X8(i, j), X8(i + 8.0, j))
#define X32(i, j) combine(X16(i, j), X16(i + 16.0, j))
#define X64(i, j) combine(X32(i, j), X32(i + 32.0, j))

#define Y1(j) ROW(0.0, j)
#define Y2(j) combine(Y1(j), Y1(j + 1.0))
#define Y4(j) combine(Y2(j), Y2(j + 2.0))
#define Y8(j) combine(Y4(j), Y4(j + 4.0))
#define Y16(j) combine(Y8(j), Y8(j + 8.0))
#define Y32(j) combine(Y16(j), Y16(j + 16.0))
#define Y64(j) combine(Y32(j), Y32(j + 32.0))

void main() {
    vec4 reduced = COLUMN(0.0);
#if FOLD
    vec4 pairs = combine(reduced, reduced.zwxy);
    result = combine(pairs, pairs.yxwz).x;
#else
    result = reduced;
#endif
#if PAIR
#undef element
#define element(i, j) kept(second_term(address(i, j)), i, j)
    second = COLUMN(0.0);
#endif
}
