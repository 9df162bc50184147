// Formula:   next = now + time rate, in xyz; w stays
// Inputs:    now (folded array: velocities, or places and masses), rate (accelerations, or velocities), time
// Domain and range: the array, `time` later
// Edges:     none
// Reference: Harris, course slides, Update Positions and Velocities: u + F/M dt and x + u dt, into another buffer
uniform Stream now, rate;
uniform float time;
DOMAIN at;
RANGE vec4 next;

void main() {
    vec4 before = value2(now, at);
    next = vec4(before.xyz + time * value2(rate, at).xyz, before.w);
}
