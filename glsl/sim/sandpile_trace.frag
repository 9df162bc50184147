// Formula:   (t + n, 1 if any, light, 0), n = floor(h / 4) the topplings of this step, t those of this avalanche before; light = 1 where n > 0, else it fades
// Inputs:    sand (width x height, whole numbers below 2^24, before the step), trace (the same of t, touched, light), fresh (1 where an avalanche begins), fade (of light in a step)
// Domain and range: the table, one step later
// Edges:     none
// Reference: Bak, Tang & Wiesenfeld, Self-organized criticality, 1987: sizes of avalanches
uniform Stream sand, trace;
uniform float fresh, fade;
DOMAIN coords;
RANGE vec4 next;

void main() {
    float now = floor(0.25 * value2(sand, coords).x);
    vec3 before = value2(trace, coords).xyz;
    float all = before.x * (1.0 - fresh) + now;
    next = vec4(all, min(all, 1.0), now > 0.0 ? 1.0 : fade * before.z, 0.0);
}
