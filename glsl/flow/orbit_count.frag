// Formula:   how many times z -> z^2 + c is applied, from z = 0, before |z| > 2; at most TRIPS
// Inputs:    origin (c of texel (0, 0)), pitch (from one texel's c to the next)
// Domain and range: the grid. EXIT 1: the loop ends there; 0: all trips are made, and the rest of them change nothing
// Edges:     none
// Reference: Harris, Mapping Computational Concepts to GPUs, course slide 38 (early exit from loops)
uniform vec2 origin;
uniform float pitch;
DOMAIN at;
RANGE float count;

void main() {
    vec2 c = origin + pitch * floor(at);
    vec2 z = vec2(0.0);
    count = 0.0;
    for (int trip = 0; trip < TRIPS; trip++) {
        float inside = float(dot(z, z) <= 4.0);
        vec2 next = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
#if EXIT
        if (inside == 0.0) break;
        z = next;
#else
        z = (1.0 - inside) * z + inside * next;
#endif
        count += inside;
    }
}
