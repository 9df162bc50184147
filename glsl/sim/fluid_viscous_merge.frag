// Formula:   u' = (u, v) of two packed vectors, or what sides and solids hold
// Inputs:    u, v (packed 2x2), held
// Domain and range: all texels of a velocity; 3 fetches each
// Edges:     none
// Reference: Bolz et al. 2003, 4.1, eq. 2
uniform Stream u, v, held;
DOMAIN at;
RANGE vec2 next;

void main() {
    vec2 place = floor(at);
    vec4 fixed_values = value2(held, at);
    vec2 free = vec2(valuePacked(u, place), valuePacked(v, place));
    next = mix(free, fixed_values.xy, greaterThan(fixed_values.zw, vec2(0.5)));
}
