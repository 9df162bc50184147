// Formula:   u' = u - share grad p, or what sides and solids hold; ALONE: share grad p, 0 where they hold something; p in velocities: times the time step, by the spacing
// Inputs:    velocity, links (weights of the ways to the west and the south in r and g), held, p (packed 2x2), grid (columns, rows, and the same where periodic, else 0), share
// Domain and range: all texels of a velocity; 10 fetches each, 6 on a staggered grid
// Edges:     no difference across a way of weight 0; beyond an open side p = 0
// Reference: Bolz et al. 2003, 4.1: the last line of the step
#if !ALONE
uniform Stream velocity;
#endif
uniform Stream links, held, p;
uniform vec4 grid;
uniform float share;
DOMAIN at;
RANGE vec2 next;

vec2 around(vec2 place) {
    return place + grid.zw * (vec2(lessThan(place, vec2(0.0))) - vec2(greaterThanEqual(place, grid.xy)));
}

float pressure(vec2 place) {
    place = around(place);
    bool inside = all(greaterThanEqual(place, vec2(0.0))) && all(lessThan(place, grid.xy));
    return inside ? valuePacked(p, place) : 0.0;
}

vec2 open(vec2 place) {
    return step(vec2(1e-30), value2(links, around(place) + 0.5).xy);
}

void main() {
    vec2 place = floor(at), right = vec2(1.0, 0.0), up = vec2(0.0, 1.0);
    float own = pressure(place);
    vec2 before = vec2(pressure(place - right), pressure(place - up));
    vec2 gradient = open(place) * (own - before);
#if !STAGGERED
    vec2 after = vec2(pressure(place + right), pressure(place + up));
    gradient = 0.5 * (gradient + vec2(open(place + right).x, open(place + up).y) * (after - own));
#endif
    vec4 fixed_values = value2(held, at);
#if ALONE
    next = mix(share * gradient, vec2(0.0), greaterThan(fixed_values.zw, vec2(0.5)));
#else
    vec2 moved = value2(velocity, at).xy - share * gradient;
    next = mix(moved, fixed_values.xy, greaterThan(fixed_values.zw, vec2(0.5)));
#endif
}
