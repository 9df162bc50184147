// Formula:   u' = what sides and solids hold there, else u; BUT_THROUGH: what crosses a side stays, too
// Inputs:    velocity, held (u, v, is u held, is v held); BUT_THROUGH: grid (columns, rows, and the same where periodic, else 0)
// Domain and range: all texels of a velocity; 2 fetches each
// Edges:     none
// Reference: Bolz et al. 2003, 4.1
uniform Stream velocity, held;
#if BUT_THROUGH
uniform vec4 grid;
#endif
DOMAIN at;
RANGE vec2 next;

void main() {
    vec4 fixed_values = value2(held, at);
    vec2 is_held = fixed_values.zw;
#if BUT_THROUGH
    vec2 place = floor(at);
    vec2 at_side = max(vec2(equal(place, vec2(0.0))), vec2(equal(place, grid.xy - 1.0)));
    is_held *= 1.0 - at_side * vec2(equal(grid.zw, vec2(0.0)));
#endif
    next = mix(value2(velocity, at).xy, fixed_values.xy, greaterThan(is_held, vec2(0.5)));
}
