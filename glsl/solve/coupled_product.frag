// Formula:   result = P w + Q Λw, AUXILIARY 1: + S a + T Λa, 0 where a component takes no part; Λw = (Σ of weights times differences + extra w)/V
// Inputs:    w, a (a node a texel, a field a component); of each: weights to the east and north, extra, 1/V, alike; takes_part (1/V of the result)
// Domain and range: all nodes
// Edges:     the sampler's; a weight that leads off the grid is 0
// Reference: finite volumes of five points, each component with its own edges
uniform Stream w, east, north, extra, inverse;
#if AUXILIARY
uniform Stream a, a_east, a_north, a_extra, a_inverse;
#endif
uniform Stream takes_part;
uniform vec4 p0, p1, p2, p3, q0, q1, q2, q3;
#if AUXILIARY
uniform vec4 s0, s1, s2, s3, t0, t1, t2, t3;
#endif
DOMAIN at;
RANGE vec4 result;

vec4 times(vec4 x, vec4 row0, vec4 row1, vec4 row2, vec4 row3) {
    return vec4(dot(row0, x), dot(row1, x), dot(row2, x), dot(row3, x));
}

void main() {
    vec4 none = vec4(0.0);
    // Where a component takes no part it counts as 0, whatever is there.
    vec4 own_inverse = value2(inverse, at);
    bvec4 out_of = equal(own_inverse, none);
    vec4 own = mix(value2(w, at), none, out_of);
    // Differences first: neighbours that are almost alike lose nothing by that.
    vec4 flow = value2(east, at) * (own - valueOffset(w, at, ivec2(1, 0)))
        + valueOffset(east, at, ivec2(-1, 0)) * (own - valueOffset(w, at, ivec2(-1, 0)));
    flow += value2(north, at) * (own - valueOffset(w, at, ivec2(0, 1)))
        + valueOffset(north, at, ivec2(0, -1)) * (own - valueOffset(w, at, ivec2(0, -1)));
    vec4 falls = own_inverse * (flow + value2(extra, at) * own);
    vec4 sum = times(own, p0, p1, p2, p3) + times(falls, q0, q1, q2, q3);
#if AUXILIARY
    own_inverse = value2(a_inverse, at);
    own = mix(value2(a, at), none, equal(own_inverse, none));
    flow = value2(a_east, at) * (own - valueOffset(a, at, ivec2(1, 0)))
        + valueOffset(a_east, at, ivec2(-1, 0)) * (own - valueOffset(a, at, ivec2(-1, 0)));
    flow += value2(a_north, at) * (own - valueOffset(a, at, ivec2(0, 1)))
        + valueOffset(a_north, at, ivec2(0, -1)) * (own - valueOffset(a, at, ivec2(0, -1)));
    falls = own_inverse * (flow + value2(a_extra, at) * own);
    sum += times(own, s0, s1, s2, s3) + times(falls, t0, t1, t2, t3);
#endif
    result = mix(sum, none, equal(value2(takes_part, at), none));
}
