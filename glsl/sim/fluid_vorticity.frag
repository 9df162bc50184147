// Formula:   w = dv/dx - du/dy at centres, by central differences
// Inputs:    velocity, grid (columns, rows of the centres, and the same where periodic, else 0), inverse (1 / the spacing)
// Domain and range: centres; 4 fetches each, 12 on a staggered grid
// Edges:     at a side that is not periodic the difference is one-sided
// Reference: Fedkiw, Stam & Jensen, Visual Simulation of Smoke, 2001
uniform Stream velocity;
uniform vec4 grid;
uniform float inverse;
DOMAIN at;
RANGE float vorticity;

vec2 limited(vec2 place) {
    place += grid.zw * (vec2(lessThan(place, vec2(0.0))) - vec2(greaterThanEqual(place, grid.xy)));
    return clamp(place, vec2(0.0), grid.xy - 1.0);
}

// (u, v) at a centre.
vec2 u(vec2 place) {
    vec2 here = value2(velocity, place + 0.5).xy;
#if !STAGGERED
    return here;
#else
    vec2 next = place + 1.0 - grid.zw * vec2(greaterThanEqual(place + 1.0, grid.xy));
    float east = value2(velocity, vec2(next.x, place.y) + 0.5).x, north = value2(velocity, vec2(place.x, next.y) + 0.5).y;
    return 0.5 * (here + vec2(east, north));
#endif
}

// Spacings between the places on both sides of one.
float between(float place, float columns, float period) {
    float ends = float(place == 0.0) + float(place == columns - 1.0);
    return period > 0.0 ? 2.0 : 2.0 - ends;
}

void main() {
    vec2 place = floor(at), right = vec2(1.0, 0.0), up = vec2(0.0, 1.0);
    float across = u(limited(place + right)).y - u(limited(place - right)).y;
    float along = u(limited(place + up)).x - u(limited(place - up)).x;
    vec2 ways = vec2(between(place.x, grid.x, grid.z), between(place.y, grid.y, grid.w));
    vorticity = inverse * (across / max(ways.x, 1.0) - along / max(ways.y, 1.0));
}
