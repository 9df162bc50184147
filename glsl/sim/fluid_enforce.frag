// Formula:   u' = what sides and solids hold there, else u
// Inputs:    velocity, held (u, v, is u held, is v held)
// Domain and range: all texels of a velocity
// Edges:     none
// Reference: Bolz et al. 2003, 4.1
uniform Stream velocity, held;
DOMAIN at;
RANGE vec2 next;

void main() {
    vec4 fixed_values = value2(held, at);
    next = mix(value2(velocity, at).xy, fixed_values.xy, greaterThan(fixed_values.zw, vec2(0.5)));
}
