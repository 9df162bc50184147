// Formula:   w + dt a; BUOYANT: a = lift T - weight q, the mean of the voxels on both sides
// Inputs:    w on the faces across z (m/s); BUOYANT: T, q, hop, lift and weight (m/s^2), else a; dt (s)
// Domain and range: all faces across z
// Edges:     walls are left to the projection
// Reference: Fedkiw, Stam & Jensen, Visual Simulation of Smoke, 2001, equation 8
uniform Stream w;
#if BUOYANT
uniform Stream warmth, density;
#endif
uniform Stream time_step;
#if BUOYANT
uniform vec2 hop, lift_weight;
#else
uniform float acceleration;
#endif
DOMAIN at;
RANGE vec4 pushed;

void main() {
#if BUOYANT
    vec4 both = value2(warmth, at) + belowOf(warmth, addressOf(warmth, at), hop);
    vec4 heavy = value2(density, at) + belowOf(density, addressOf(density, at), hop);
    vec4 acceleration = 0.5 * (lift_weight.x * both - lift_weight.y * heavy);
#endif
    pushed = value2(w, at) + value0(time_step).x * acceleration;
}
