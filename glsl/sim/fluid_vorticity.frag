// Formula:   w = dv/dx - du/dy at centres, by central differences
// Inputs:    velocity, grid (columns, rows of the centres, and the same where periodic, else 0), inverse (1 / the spacing)
// Domain and range: centres; 4 fetches each, 8 on a staggered grid
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

// u and v at a centre: on a staggered grid they are between faces, the next of which may be the first again.
#if STAGGERED
vec2 further(vec2 place, vec2 way) {
    place += way;
    return place - grid.zw * step(grid.xy, place) * way;
}

float eastward(vec2 place) {
    return 0.5 * (value2(velocity, place + 0.5).x + value2(velocity, further(place, vec2(1.0, 0.0)) + 0.5).x);
}

float northward(vec2 place) {
    return 0.5 * (value2(velocity, place + 0.5).y + value2(velocity, further(place, vec2(0.0, 1.0)) + 0.5).y);
}
#else
float eastward(vec2 place) {
    return value2(velocity, place + 0.5).x;
}

float northward(vec2 place) {
    return value2(velocity, place + 0.5).y;
}
#endif

// Spacings between the places on both sides of one.
float between(float place, float columns, float period) {
    float ends = float(place == 0.0) + float(place == columns - 1.0);
    return period > 0.0 ? 2.0 : 2.0 - ends;
}

void main() {
    vec2 place = floor(at), right = vec2(1.0, 0.0), up = vec2(0.0, 1.0);
    float across = northward(limited(place + right)) - northward(limited(place - right));
    float along = eastward(limited(place + up)) - eastward(limited(place - up));
    vec2 ways = vec2(between(place.x, grid.x, grid.z), between(place.y, grid.y, grid.w));
    vorticity = inverse * (across / max(ways.x, 1.0) - along / max(ways.y, 1.0));
}
