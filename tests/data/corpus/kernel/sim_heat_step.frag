// Formula:   u' = u + beta sum of w_n (u_n - u), w_n = free open_n: 1 or 0; in the order of heat_branch.frag
// Inputs:    temperature (width x height), beta; with WEIGHTS weights (w of left, right, top, bottom), else cells and holds
// Domain and range: a part of the plate, one step later; without SIDES a part away from the sides
// Edges:     with SIDES the temperature beyond is chosen by arithmetic: no jumps, and all fetches are made
// Reference: Harris, Mapping Computational Concepts to GPUs, course slides, "Replace with math", "Pre-computation"
//
// Cells are (open, free), each 1 or 0; holds is 1 for a side that has a temperature beyond it, 0 for an insulated one.
uniform Stream temperature;
#if WEIGHTS
uniform Stream weights;
#else
uniform Stream cells;
#endif
uniform float beta;
#if SIDES
uniform vec4 beyond;
#endif
#if SIDES && !WEIGHTS
uniform vec4 holds;
#endif
DOMAIN coords;
RANGE float next;

void main() {
    float u = value2(temperature, coords).x;
    vec4 around = vec4(
        valueOffset(temperature, coords, ivec2(-1, 0)).x,
        valueOffset(temperature, coords, ivec2(1, 0)).x,
        valueOffset(temperature, coords, ivec2(0, -1)).x,
        valueOffset(temperature, coords, ivec2(0, 1)).x);
#if SIDES
    vec2 last = temperature.extent.xy - 1.0;
    bvec4 inside = bvec4(coords.x > 1.0, coords.x < last.x, coords.y > 1.0, coords.y < last.y);
    around = mix(beyond, around, inside);
#endif
#if WEIGHTS
    vec4 weight = value2(weights, coords);
#else
    vec4 weight = vec4(
        valueOffset(cells, coords, ivec2(-1, 0)).x,
        valueOffset(cells, coords, ivec2(1, 0)).x,
        valueOffset(cells, coords, ivec2(0, -1)).x,
        valueOffset(cells, coords, ivec2(0, 1)).x);
#if SIDES
    weight = mix(holds, weight, inside);
#endif
    weight *= value2(cells, coords).y;
#endif
    vec4 flow = weight * (around - u);
    next = u + beta * (flow.x + flow.y + flow.z + flow.w);
}
