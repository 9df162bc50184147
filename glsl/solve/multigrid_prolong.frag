// Formula:   x + S e, S e(i) = 1/4 sum over d in {0,1}^2 of e(floor((i + d) / 2)); FORM 0: S e alone; INVERSE 0: all nodes are there
// Inputs:    x, inverse (that of the fine matrix, 0 where there is no node), coarse (e), all packed 2x2; wraps
// Domain and range: all texels of x: a fine texel is the coarse node whose place it has
// Edges:     coarse node `wraps` is node 0; a node that takes no part keeps its x
// Reference: Bolz et al., Sparse Matrix Solvers on the GPU, 4.2 (interpolation)
#if FORM == 1
uniform Stream x;
#endif
#if INVERSE
uniform Stream inverse;
#endif
uniform Stream coarse;
uniform vec2 wraps; // coarse nodes along an axis that wraps, more than there are along one that does not
DOMAIN at;
RANGE vec4 result;

void main() {
    vec2 near = floor(at), far = near + 1.0;
    far -= wraps * step(wraps, far);
    float own = valuePacked(coarse, near), east = valuePacked(coarse, vec2(far.x, near.y));
    float north = valuePacked(coarse, vec2(near.x, far.y)), corner = valuePacked(coarse, far);
    vec4 correction = vec4(own, 0.5 * (own + east), 0.5 * (own + north), 0.25 * ((own + east) + (north + corner)));
#if INVERSE
    correction = mix(correction, vec4(0.0), equal(value2(inverse, at), vec4(0.0)));
#endif
#if FORM == 1
    result = value2(x, at) + correction;
#else
    result = correction;
#endif
}
