// Formula:   result = alpha (sum of the parts) + beta result
// Inputs:    parts (side by side, `chunk` columns each), result before if BETA, alpha, beta
// Domain and range: the columns of one target of multiply.frag -> the columns of the result that they are
// Edges:     PADDED: rows past the last are 0, whatever alpha and beta are
// Reference: BLAS level 3 (gemm); Moravanszky, Dense Matrix Algebra on the GPU, 3.3
uniform Stream parts;
#if BETA
uniform Stream before;
#endif
#if PARTS
uniform float chunk, count;
#endif
#if SCALED
uniform float alpha;
#endif
#if BETA
uniform float beta;
#endif
#if PADDED
uniform float rows;
#endif
DOMAIN at;
DOMAIN of_result;
RANGE vec4 result;

void main() {
    vec4 sum = value2(parts, at);
#if PARTS
    for (float part = 1.0; part < count; part += 1.0) {
        sum += value2(parts, vec2(at.x + part * chunk, at.y));
    }
#endif
#if SCALED
    sum *= alpha;
#endif
#if BETA
    sum += beta * value2(before, of_result);
#endif
#if PADDED
    sum = mix(vec4(0.0), sum, lessThan(4.0 * of_result.y + vec4(-1.5, -0.5, 0.5, 1.5), vec4(rows)));
#endif
    result = sum;
}
