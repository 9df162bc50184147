// Formula:   of_q = (p.q, q.q) and of_r = (r.q, r.r) over SIDE x SIDE texels, in double-single
// Inputs:    p, q, r (two numbers a texel; TERMS 1), or such sums of the pass before
// Domain and range: groups of texels -> one texel of each target
// Edges:     what lies beyond the streams does not count
// Reference: Harris, Mapping Computational Concepts to GPUs, 31.3.7; Dekker 1971
#if TERMS
uniform Stream p, q, r;
#else
uniform Stream q, r; // sums of q and of r
#endif
DOMAIN at;
RANGE vec4 of_q;
RANGE vec4 of_r;

// The two numbers of x added up beside those of y.
vec4 folded(vec4 x, vec4 y) {
    return doubleSum(vec4(x.x, y.x, x.z, y.z), vec4(x.y, y.y, x.w, y.w));
}

void main() {
    vec2 first = float(SIDE) * floor(at) + 0.5;
    vec4 sum_of_q = vec4(0.0), sum_of_r = vec4(0.0);
    for (int row = 0; row < SIDE; ++row) {
        for (int column = 0; column < SIDE; ++column) {
            vec2 texel = first + vec2(float(column), float(row));
            if (texel.x < q.extent.x && texel.y < q.extent.y) {
                vec4 own = value2(q, texel), residual = value2(r, texel);
#if TERMS
                vec4 pq = doubleProduct(value2(p, texel), own), qq = doubleProduct(own, own);
                vec4 rq = doubleProduct(residual, own), rr = doubleProduct(residual, residual);
                sum_of_q = doubleSum(sum_of_q, folded(pq, qq));
                sum_of_r = doubleSum(sum_of_r, folded(rq, rr));
#else
                sum_of_q = doubleSum(sum_of_q, own);
                sum_of_r = doubleSum(sum_of_r, residual);
#endif
            }
        }
    }
    of_q = sum_of_q;
    of_r = sum_of_r;
}
