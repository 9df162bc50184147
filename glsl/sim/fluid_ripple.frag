// Formula:   q' = q + flux in - flux out of each side, flux = K d3, K = min(|c| / 6, 1 / 32), c = dt u / h, d3 = q++ - 3 q+ + 3 q - q-, down its slope q+ - q alone and no more than four of it; SCALAR 0: less `taken`
// Inputs:    field, SCALAR: a scalar, and velocity, which moved it (STAGGERED: u on west, v on south faces); else a velocity, moved by itself, and taken, another; SOLIDS: open (fluid_open.frag); cells of the box; periodic: 1 or 0 for each axis; way = dt / spacing
// Domain and range: all elements of the field; a scalar takes 14 fetches, 12 on a staggered grid, a velocity 10 and 12; near solids 9 and 11 more
// Edges:     no flux through sides and into solids; beyond them stands the last element before them; what faces of solids hold stays
// Reference: Kawamura & Kuwahara, 1984: upwind differences with a |u| h^3 / 12 of the fourth derivative, a = 2; Xue, High-Order Monotonic Numerical Diffusion, 2000
uniform Stream field;
#if SCALAR
uniform Stream velocity;
#else
uniform Stream taken;
#endif
#if SOLIDS
uniform Stream open;
#endif
uniform vec2 cells, periodic;
uniform float way;
DOMAIN at;
RANGE vec4 next;

const vec2 X = vec2(1.0, 0.0), Y = vec2(0.0, 1.0);

vec2 texelOf(vec2 place) {
#if SCALAR
    return elementOf(place, countsOf(OF_CENTRE, cells, periodic), periodic) + 0.5;
#else
    return elementOf(place, countsOf(CORNER, cells, periodic), periodic) + 0.5;
#endif
}

float isIn(vec2 place, vec2 counts) {
    vec2 inside = max(periodic, step(vec2(0.0), place) * (1.0 - step(counts, place)));
    return inside.x * inside.y;
}

// 1 for those of an element's numbers that are of the fluid.
vec4 fluidAt(vec2 place, bool clear) {
#if STAGGERED && !SCALAR
    vec4 fluid = vec2(isIn(place, countsOf(OF_U, cells, periodic)), isIn(place, countsOf(OF_V, cells, periodic))).xyxy;
#else
    vec4 fluid = vec4(isIn(place, countsOf(OF_CENTRE, cells, periodic)));
#endif
#if SOLIDS
    if (!clear) {
        vec3 sides = value2(open, texelOf(place)).xyz;
#if SCALAR
        sides = sides.zzz;
#endif
        fluid *= step(vec4(0.25), sides.xyxy);
    }
#endif
    return fluid;
}

// The next element that way, or the one before it where there is none.
vec4 beside(vec2 place, vec4 before, bool clear) {
    return mix(before, value2(field, texelOf(place)), greaterThan(fluidAt(place, clear), vec4(0.5)));
}

// The amount that leaves q for q+.
vec4 flux(vec4 behind, vec4 q, vec4 ahead, vec4 further, vec4 speed) {
    vec4 slope = ahead - q, third = (further - behind) - 3.0 * slope, most = -4.0 * slope;
    return min(abs(way * speed) / 6.0, 1.0 / 32.0) * clamp(third, min(most, 0.0), max(most, 0.0));
}

void main() {
    vec2 place = floor(at);
    bool clear = true;
    vec4 here = value2(field, at), kept = vec4(0.0);
#if SOLIDS
    vec4 sides = value2(open, at);
    clear = sides.w > 1.5;
#if SCALAR
    sides = sides.zzzz;
#endif
    kept = 1.0 - step(vec4(0.75), sides.xyxy);
#endif
    vec4 west = beside(place - X, here, clear), south = beside(place - Y, here, clear);
#if STAGGERED && !SCALAR
    // The last column has no v, the last row no u: these stand in for speeds.
    here = mix(vec2(south.x, west.y).xyxy, here, greaterThan(fluidAt(place, true), vec4(0.5)));
#endif
    vec4 east = beside(place + X, here, clear), north = beside(place + Y, here, clear);
    vec4 far_west = beside(place - 2.0 * X, west, clear), far_east = beside(place + 2.0 * X, east, clear);
    vec4 far_south = beside(place - 2.0 * Y, south, clear), far_north = beside(place + 2.0 * Y, north, clear);
#if SCALAR
    vec4 u = value2(velocity, at);
#if STAGGERED
    vec2 counts = countsOf(CORNER, cells, periodic);
    float west_speed = u.x, east_speed = value2(velocity, elementOf(place + X, counts, periodic) + 0.5).x;
    float south_speed = u.y, north_speed = value2(velocity, elementOf(place + Y, counts, periodic) + 0.5).y;
#else
    float west_speed = 0.5 * (value2(velocity, texelOf(place - X)).x + u.x);
    float east_speed = 0.5 * (u.x + value2(velocity, texelOf(place + X)).x);
    float south_speed = 0.5 * (value2(velocity, texelOf(place - Y)).y + u.y);
    float north_speed = 0.5 * (u.y + value2(velocity, texelOf(place + Y)).y);
#endif
#elif STAGGERED
    float v_north_west = beside(place - X + Y, north, clear).y, u_south_east = beside(place + X - Y, east, clear).x;
    vec4 west_speed = 0.5 * vec2(west.x + here.x, south.x + here.x).xyxy;
    vec4 east_speed = 0.5 * vec2(here.x + east.x, u_south_east + east.x).xyxy;
    vec4 south_speed = 0.5 * vec2(west.y + here.y, south.y + here.y).xyxy;
    vec4 north_speed = 0.5 * vec2(v_north_west + north.y, here.y + north.y).xyxy;
#else
    float west_speed = 0.5 * (west.x + here.x), east_speed = 0.5 * (here.x + east.x);
    float south_speed = 0.5 * (south.y + here.y), north_speed = 0.5 * (here.y + north.y);
#endif
    vec4 across = flux(far_west, west, here, east, vec4(west_speed)) - flux(west, here, east, far_east, vec4(east_speed));
    vec4 along = flux(far_south, south, here, north, vec4(south_speed)) - flux(south, here, north, far_north, vec4(north_speed));
    next = here + (1.0 - kept) * (across + along);
#if !SCALAR
    next -= value2(taken, at);
#endif
}
