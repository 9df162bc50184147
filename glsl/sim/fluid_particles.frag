// Formula:   x' = x + dt u(x + dt u(x) / 2), age' = age + dt; born again outside, in a solid, and past `life`; START: born now, at any age up to `oldest`
// Inputs:    particles (folded; x, y in lengths, age, number); velocity; births (256 x 1: west, south, east, north, lengths); SOLIDS: open (fluid_open.frag); cells of the box; periodic: 1 or 0 for each axis; spacing; time_step; life; luck (two numbers below 2^24); START: width of the particles' texture
// Domain and range: all particles
// Edges:     velocity: that of the nearest element; a periodic axis wraps around; paths end at solids and at sides that nothing leaves by
// Reference: Bolz et al., section 4.1 (particles that show the flow); the midpoint rule
#if START
uniform float width, oldest;
#else
uniform Stream particles, velocity;
#if SOLIDS
uniform Stream open;
#endif
uniform vec2 cells, periodic;
uniform float spacing, time_step, life;
#endif
uniform Stream births;
uniform vec2 luck;
DOMAIN at;
RANGE vec4 next;

uint stir(uint x) {
    x = (x ^ (x >> 16u)) * 0x7feb352du;
    x = (x ^ (x >> 15u)) * 0x846ca68bu;
    return x ^ (x >> 16u);
}

// One of many numbers of a particle, 0 to 1.
float chance(float number, uint which) {
    uint stirred = stir(stir(stir(uint(luck.x)) + uint(luck.y)) + uint(number));
    return float(stir(stirred + which) >> 8u) / 16777216.0;
}

vec4 born(float number, float age) {
    vec4 region = value2(births, vec2(floor(256.0 * chance(number, 0u)) + 0.5, 0.5));
    vec2 part = vec2(chance(number, 1u), chance(number, 2u));
    return vec4(region.xy + part * (region.zw - region.xy), age, number);
}

#if START == 0
vec4 velocityBetween(vec2 cell, vec2 way, vec2 start, vec3 number, bool clear) {
    vec2 counts = countsOf(start, cells, periodic);
    Around four = aroundPlace(velocity, cell, way, counts, periodic);
#if SOLIDS
    if (!clear) {
        four = withoutSolids(four, open, number, cell, way, counts, periodic);
    }
#endif
    return betweenFour(four);
}

// In spacings from the corner of the box, both the place and the velocity times dt.
vec2 wayAt(vec2 place, bool clear) {
    vec2 cell = floor(place + CORNER), part = place + CORNER - cell;
#if STAGGERED
    float u = velocityBetween(cell, part - OF_U, OF_U, vec3(1.0, 0.0, 0.0), clear).x;
    float v = velocityBetween(cell, part - OF_V, OF_V, vec3(0.0, 1.0, 0.0), clear).y;
    return time_step / spacing * vec2(u, v);
#else
    return time_step / spacing * velocityBetween(cell, part - OF_CENTRE, OF_CENTRE, vec3(0.0, 0.0, 1.0), clear).xy;
#endif
}

// As much of a way as no solid cuts off.
vec2 openFrom(vec2 place, vec2 way, float room) {
#if SOLIDS
    if (!isClear(way, room)) {
        vec2 cell = floor(place + CORNER);
        return openWay(open, cell, place + CORNER - cell, way, countsOf(OF_CENTRE, cells, periodic), periodic);
    }
#endif
    return way;
}

// The room of the cell that a place is in, below 0 in a solid.
float roomAt(vec2 place) {
#if SOLIDS
    vec2 cell = elementOf(floor(place + CORNER), countsOf(OF_CENTRE, cells, periodic), periodic);
    return value2(open, cell + 0.5).w;
#else
    return 1e20;
#endif
}

vec4 advanced(vec4 particle) {
    vec2 place = particle.xy / spacing;
    float room = roomAt(place);
    vec2 half_way = openFrom(place, 0.5 * wayAt(place, isClear(vec2(0.0), room)), room);
    vec2 way = openFrom(place, wayAt(place + half_way, isClear(half_way, room)), room);
    vec2 end = place + way;
    vec2 around = mix(end, end - cells * floor(end / cells), periodic);
    vec2 inside = clamp(around, vec2(0.0), cells);
    bool stays = particle.z + time_step <= life && room > -0.5;
    if (around != inside) {
        // Past a side: through it, or by the error of a path along it?
        stays = stays && dot(around - inside, wayAt(inside, isClear(way, room))) <= 0.0;
    }
    vec2 moved = end == inside ? particle.xy + spacing * way : spacing * inside;
    return stays ? vec4(moved, particle.z + time_step, particle.w) : born(particle.w, 0.0);
}
#endif

void main() {
#if START
    vec2 texel = floor(at);
    float number = texel.y * width + texel.x;
    next = born(number, chance(number, 3u) * oldest);
#else
    next = advanced(value2(particles, at));
#endif
}
