// Formula:   counts_t(g, k) = how many pixels of block k lie in bins 4 (g + t groups) to 4 (g + t groups) + 3
// Inputs:    found (the bins of four pixels a texel), walk (first texel, step, steps, end), groups
// Domain and range: group of bins x block of texels -> the same of each target
// Edges:     texels at and after the end are not counted
// Reference: Harris, Mapping Computational Concepts to GPUs, 31.2.3 (scatter as gather)
//
// A texel that is fetched is held against the four bins of every target. Block k takes every step-th texel from its
// own on, so that neighbouring fragments fetch neighbours.
uniform Stream found;
uniform vec4 walk;
uniform float groups;
DOMAIN at;
DECLARE_TARGETS

vec4 matches(vec4 four, vec4 bins) {
    return vec4(equal(vec4(four.x), bins)) + vec4(equal(vec4(four.y), bins)) +
           vec4(equal(vec4(four.z), bins)) + vec4(equal(vec4(four.w), bins));
}

#define begin(target, sum, bins, offset) vec4 sum = vec4(0.0), bins = own + offset;
#define add(target, sum, bins, offset) sum += matches(four, bins);
#define finish(target, sum, bins, offset) target = sum;

void main() {
    vec4 own = 4.0 * floor(at.x) + vec4(0.0, 1.0, 2.0, 3.0);
    EACH_TARGET(begin)
    float texel = walk.x + floor(at.y);
    for (float i = 0.0; i < walk.z; i += 1.0) {
        vec4 four = texel < walk.w ? value(found, texel) : vec4(-1.0);
        EACH_TARGET(add)
        texel += walk.y;
    }
    EACH_TARGET(finish)
}
