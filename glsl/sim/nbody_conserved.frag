// Formula:   MOMENTS 0: (m v, m v^2 / 2); MOMENTS 1: (m x cross v, m potential / 2)
// Inputs:    bodies (place and mass), velocities, accelerations (their w: potential), folded arrays
// Domain and range: the array -> what each body adds to the whole
// Edges:     none
// Reference: conservation laws of gravitation; each pair of bodies is met twice, hence the half of the potential
uniform Stream bodies, velocities;
#if MOMENTS == 1
uniform Stream accelerations;
#endif
DOMAIN at;
RANGE vec4 share;

void main() {
    vec4 body = value2(bodies, at);
    vec3 velocity = value2(velocities, at).xyz;
#if MOMENTS == 0
    share = body.w * vec4(velocity, 0.5 * dot(velocity, velocity));
#else
    share = body.w * vec4(cross(body.xyz, velocity), 0.5 * value2(accelerations, at).w);
#endif
}
