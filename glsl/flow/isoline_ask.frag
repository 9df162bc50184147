// Formula:   a fragment passes where |f - level| <= reach; EXACT: where f >= level, or not, changes to the right or above; MASKED: if both are open
// Inputs:    field (R = f), level; MASKED: open (R above 1/2: a number counts); but for EXACT reach, the most that f can change from here to anywhere in the cell
// Domain and range: the middle texel of a cell, or with EXACT each texel, to as many fragments anywhere; an occlusion query counts them
// Edges:     clamp: no isoline runs along the edge
// Reference: Harris, Mapping Computational Concepts to GPUs, course slide 34 (subdivision by occlusion queries)
uniform Stream field;
uniform float level;
#if MASKED
uniform Stream open;
#endif
#if !EXACT
uniform float reach;
#endif
DOMAIN at;
RANGE float crossed;

void main() {
    float here = value2(field, at).x;
#if EXACT
    bool above = here >= level;
    bool right = valueOffset(field, at, ivec2(1, 0)).x >= level;
    bool up = valueOffset(field, at, ivec2(0, 1)).x >= level;
    bvec2 across = bvec2(above != right, above != up);
#if MASKED
    across.x = across.x && valueOffset(open, at, ivec2(1, 0)).x > 0.5;
    across.y = across.y && valueOffset(open, at, ivec2(0, 1)).x > 0.5;
    if (value2(open, at).x < 0.5) discard;
#endif
    if (!any(across)) discard;
#else
    if (abs(here - level) > reach) discard;
#endif
    crossed = 1.0;
}
