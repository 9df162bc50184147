// Formula:   u' = u + time_step f, f at u's own place: the mean of both centres beside a face
// Inputs:    velocity, force (at centres), grid (columns, rows of the centres, and the same where periodic, else 0), time_step
// Domain and range: all texels of a velocity
// Edges:     beyond a side is what is nearest
// Reference: Stam, Stable Fluids, 1999: the step of forces
uniform Stream velocity, force;
uniform vec4 grid;
uniform float time_step;
DOMAIN at;
RANGE vec2 next;

#if STAGGERED
vec2 f(vec2 place) {
    place += grid.zw * (vec2(lessThan(place, vec2(0.0))) - vec2(greaterThanEqual(place, grid.xy)));
    return value2(force, place + 0.5).xy;
}
#endif

void main() {
#if !STAGGERED
    vec2 acceleration = value2(force, at).xy;
#else
    vec2 place = floor(at), here = f(place);
    vec2 acceleration = 0.5 * (here + vec2(f(place - vec2(1.0, 0.0)).x, f(place - vec2(0.0, 1.0)).y));
#endif
    next = value2(velocity, at).xy + time_step * acceleration;
}
