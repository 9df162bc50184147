// Formula:   u' = u + time_step f, f at u's own place: the mean of both centres beside a face, and along the face the mean (1 2 1) / 4
// Inputs:    velocity, force (at centres), grid (columns, rows of the centres, and the same where periodic, else 0), time_step
// Domain and range: all texels of a velocity; 6 fetches each, 9 on a staggered grid
// Edges:     beyond a side is what is nearest
// Reference: Stam, Stable Fluids, 1999: the step of forces. What alternates from column to column has no pressure and next to no
//            friction on a grid: heat that did so would lift every other column, and grow
uniform Stream velocity, force;
uniform vec4 grid;
uniform float time_step;
DOMAIN at;
RANGE vec2 next;

vec2 f(vec2 place) {
    place += grid.zw * (vec2(lessThan(place, vec2(0.0))) - vec2(greaterThanEqual(place, grid.xy)));
    return value2(force, clamp(place, vec2(0.0), grid.xy - 1.0) + 0.5).xy;
}

void main() {
    vec2 place = floor(at), right = vec2(1.0, 0.0), up = vec2(0.0, 1.0);
    vec2 own = f(place), west = f(place - right), south = f(place - up), east = f(place + right), north = f(place + up);
    vec2 acceleration = 0.25 * vec2(south.x + north.x, west.y + east.y) + 0.5 * own;
#if STAGGERED
    vec2 corner = f(place - right - up);
    float north_west = f(place - right + up).x, south_east = f(place + right - up).y;
    acceleration += 0.25 * vec2(corner.x + north_west, corner.y + south_east) + 0.5 * vec2(west.x, south.y);
    acceleration *= 0.5;
#endif
    next = value2(velocity, at).xy + time_step * acceleration;
}
