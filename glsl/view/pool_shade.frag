// Formula:   SURFACE 1: mix(T exp(-k s) of what the broken ray meets, what the mirrored one meets, F), F = F0 + (1 - F0) (1 - n.v)^5; 0: tiles and stone, lit
// Inputs:    what mesh_place or pool_place hands over; caustics (x: light, y: without the ball's shadow); ball (middle, radius); eye, sun, half_sides, depth, deck, pixel
// Domain and range: the triangles of the water, or of the pool's walls and deck -> linear light, in alpha how much is covered
// Edges:     no light of the sun beyond the map
// Reference: Evan Wallace, WebGL Water, 2011 (the look: a traced pool); Schlick, An Inexpensive BRDF Model, 1994 (Fresnel)
uniform Stream caustics, ball;
uniform vec3 eye, sun;
uniform vec2 half_sides;
uniform float depth, deck;
uniform float pixel; // a pixel's side at distance 1
in vec3 place;
RANGE vec4 light;

const vec3 SUNLIGHT = vec3(0.88, 0.82, 0.72), SKYLIGHT = vec3(0.24, 0.30, 0.38);
const vec3 KEPT = vec3(1.35, 0.32, 0.22), MURK = vec3(0.01, 0.11, 0.14); // absorption a length, and what comes in its place

vec3 sky(vec3 way) {
    vec3 horizon = vec3(0.74, 0.84, 0.93), zenith = vec3(0.16, 0.38, 0.74);
    vec3 clear = mix(horizon, zenith, sqrt(clamp(way.y, 0.0, 1.0)));
    float glint = max(dot(way, sun), 0.0);
    return clear + vec3(1.0, 0.93, 0.8) * (6.0 * pow(glint, 700.0) + 0.25 * pow(glint, 30.0));
}

// How much of a line of that width, in units of `at`, a pixel of that width sees.
float lines(vec2 at, float blur, float width) {
    vec2 beside = abs(fract(at + 0.5) - 0.5);
    vec2 drawn = 1.0 - smoothstep(vec2(0.5 * width - 0.5 * blur), vec2(0.5 * width + 0.5 * blur + 1e-4), beside);
    drawn *= min(width / max(blur, 1e-4), 1.0);
    return max(drawn.x, drawn.y);
}

float scattered(vec2 cell) {
    return fract(sin(dot(cell, vec2(12.9898, 78.233))) * 437.585);
}

// Square tiles, 14 along half the longer side, no two of quite the same blue; `blur` is a pixel's side there.
vec3 tiled(vec3 p, vec3 normal, float blur) {
    vec2 on = abs(normal.y) > 0.5 ? p.xz : abs(normal.x) > 0.5 ? p.zy : p.xy;
    vec2 at = 14.0 * on;
    float each = scattered(floor(at)), fine = 1.0 / (1.0 + 8.0 * blur);
    vec3 tile = mix(vec3(0.50, 0.76, 0.82), vec3(0.68, 0.90, 0.92), mix(0.5, each, fine));
    float band = abs(normal.y) > 0.5 ? 0.0 : step(-1.5 / 14.0, p.y);
    tile = mix(tile, vec3(0.10, 0.30, 0.52) * (0.7 + 0.6 * each), band);
    return mix(tile, mix(vec3(0.30, 0.46, 0.50), vec3(0.55, 0.60, 0.62), band), 0.7 * lines(at, 14.0 * blur, 0.07));
}

// The light of the sun at a place in the water, as the map of the floor has it along the ray of still water that leads there.
vec2 sunIn(vec3 p) {
    vec3 still = refract(-sun, vec3(0.0, 1.0, 0.0), 0.75);
    vec2 share = 0.5 + 0.5 * (p.xz - still.xz * (p.y / still.y)) / half_sides;
    vec2 at = share * caustics.extent.xy - 0.5, part = fract(at), last = caustics.extent.xy - 0.5;
    vec2 low = clamp(floor(at) + 0.5, vec2(0.5), last), high = clamp(floor(at) + 1.5, vec2(0.5), last);
    vec2 south = mix(value2(caustics, low).xy, value2(caustics, vec2(high.x, low.y)).xy, part.x);
    vec2 north = mix(value2(caustics, vec2(low.x, high.y)).xy, value2(caustics, high).xy, part.x);
    vec2 edge = smoothstep(vec2(0.0), vec2(0.02), share) * (1.0 - smoothstep(vec2(0.98), vec2(1.0), share));
    return edge.x * edge.y * mix(south, north, part.y);
}

// Tiles below the water or above it.
vec3 wall(vec3 p, vec3 normal, float blur) {
    vec3 beam = p.y < 0.0 ? -refract(-sun, vec3(0.0, 1.0, 0.0), 0.75) : sun;
    float facing = max(dot(normal, beam), 0.0), lit = p.y < 0.0 ? sunIn(p).x : 1.0;
    float corner = 1.0 - 0.35 * exp(-14.0 * (abs(normal.y) > 0.5 ? min(half_sides.x - abs(p.x), half_sides.y - abs(p.z)) : p.y + depth));
    return tiled(p, normal, blur) * (corner * SKYLIGHT * 1.15 + facing * lit * SUNLIGHT);
}

// Where a ray meets the ball: how many times `along`, or 1e9.
float meets(vec4 middle, vec3 from, vec3 along) {
    vec3 to = from - middle.xyz;
    float b = dot(to, along), inside = b * b - dot(to, to) + middle.w * middle.w;
    float way = -b - sqrt(max(inside, 0.0));
    return middle.w > 0.0 && inside > 0.0 && way > 1e-4 ? way : 1e9;
}

// A ball of six panels, white and red, lit by the sun, the sky and, below, the floor.
vec3 balled(vec4 middle, vec3 p, bool sunk) {
    vec3 normal = (p - middle.xyz) / middle.w;
    float panel = step(0.0, sin(3.0 * atan(normal.z + 0.35 * normal.y, normal.x - 0.3 * normal.y)));
    vec3 paint = mix(vec3(0.86, 0.84, 0.80), vec3(0.80, 0.07, 0.05), panel * step(abs(dot(normal, normalize(vec3(0.3, 0.88, -0.35)))), 0.94));
    vec3 beam = sunk ? -refract(-sun, vec3(0.0, 1.0, 0.0), 0.75) : sun;
    float lit = sunk ? 0.8 * sunIn(p).y : 1.0;
    vec3 around = SKYLIGHT * (0.75 + 0.45 * normal.y) + vec3(0.03, 0.07, 0.08) * (1.0 - normal.y);
    vec3 between = normalize(sun + normalize(eye - p));
    float glint = sunk ? 0.0 : 0.5 * pow(max(dot(normal, between), 0.0), 60.0);
    return paint * (around + lit * max(dot(normal, beam), 0.0) * SUNLIGHT) + glint * SUNLIGHT;
}

// Where a ray from within leaves the pool through a side, and the normal of that side.
float leaves(vec3 from, vec3 along, out vec3 normal) {
    vec3 safe = mix(along, vec3(1e-6), step(abs(along), vec3(1e-6)));
    vec2 ways = (sign(safe.xz) * half_sides - from.xz) / safe.xz;
    normal = ways.x < ways.y ? vec3(-sign(safe.x), 0.0, 0.0) : vec3(0.0, 0.0, -sign(safe.z));
    return max(min(ways.x, ways.y), 0.0);
}

#if SURFACE
uniform float steepness; // the world's slope of a slope of 1
in vec4 water;
in float below;

const vec3 BROKEN = vec3(0.6, 0.0, 0.6);

// The ray below the surface, and how far it goes.
vec4 sunken(vec4 middle, vec3 from, vec3 along, float blur) {
    vec3 normal;
    float way = leaves(from, along, normal), down = (depth + from.y) / max(-along.y, 1e-4);
    if (down < way) {
        way = down;
        normal = vec3(0.0, 1.0, 0.0);
    }
    float ball_way = meets(middle, from, along);
    vec3 seen = ball_way < way ? balled(middle, from + ball_way * along, true) : wall(from + way * along, normal, blur + pixel * way);
    return vec4(seen, min(ball_way, way));
}

vec3 mirrored(vec4 middle, vec3 from, vec3 along) {
    vec3 normal;
    float way = leaves(from, along, normal), ball_way = meets(middle, from, along);
    if (ball_way < way) return balled(middle, from + ball_way * along, false);
    vec3 p = from + way * along;
    return p.y < deck ? wall(vec3(p.x, max(p.y, 1e-4), p.z), normal, 0.02) : sky(along);
}

// A block of stone: its top where the surface is level, its sides where it falls, wet below.
vec3 stony(vec2 slope, float blur) {
    vec3 normal = normalize(vec3(-slope.x, 1.0, -slope.y));
    vec2 at = 9.0 * place.xz;
    vec3 stone = vec3(0.50, 0.47, 0.43) * (0.88 + 0.24 * scattered(floor(at)));
    stone *= 1.0 - 0.5 * lines(at, 9.0 * blur, 0.06);
    stone *= mix(0.45, 1.0, smoothstep(0.0, 0.035, place.y));
    return stone * (SKYLIGHT * (0.7 + 0.3 * normal.y) + max(dot(normal, sun), 0.0) * SUNLIGHT);
}

vec4 seen(vec4 middle, vec3 view, float far) {
    vec2 slope = steepness * water.yz;
    float stone = smoothstep(0.0, 0.35, -water.w);
    if (stone > 0.99) return vec4(stony(slope, pixel * far), 1.0);
    vec3 normal = normalize(vec3(-slope.x, 1.0, -slope.y));
    float facing = clamp(-dot(normal, view), 0.0, 1.0), fresnel = 0.02 + 0.98 * pow(1.0 - facing, 5.0);
    vec3 back = reflect(view, normal);
    back.y = abs(back.y);
    vec3 from = vec3(clamp(place.xz, -half_sides, half_sides), 0.0).xzy + vec3(0.0, place.y, 0.0);
    vec4 inside = sunken(middle, from, refract(view, normal, 0.75), pixel * far);
    vec3 kept = exp(-KEPT * inside.w);
    vec3 lit = inside.rgb * kept + MURK * (1.0 - kept);
    vec3 wet = mix(mix(lit, mirrored(middle, from, back), fresnel), BROKEN, max(water.w, 0.0));
    return vec4(mix(wet, stony(slope, pixel * far), stone), 1.0);
}
#else
uniform float reach;
in vec3 normal;

vec4 seen(vec4 middle, vec3 view, float far) {
    float blur = pixel * far / max(abs(dot(view, normal)), 0.1);
    if (normal.y < 0.5) {
        // Nothing lies around the deck, but a ball may be seen before it.
        bool around = place.y > deck - 1e-5 && max(abs(place.x), abs(place.z)) > 0.99 * reach;
        return around ? vec4(0.0) : vec4(wall(place, normal, blur), 1.0);
    }
    // Slabs of stone, and a rim of paler ones around the water.
    vec2 off = max(abs(place.xz) - half_sides, 0.0);
    float beside = max(off.x, off.y), rim = 1.0 - smoothstep(0.10 - blur, 0.10 + blur, beside);
    vec2 at = mix(place.xz * 4.0, vec2((off.x > off.y ? place.z : place.x) * 8.0, 0.5), step(beside, 0.10));
    float each = scattered(floor(at));
    vec3 stone = mix(vec3(0.33, 0.29, 0.25) * (0.9 + 0.2 * each), vec3(0.62, 0.60, 0.56) * (0.95 + 0.1 * each), rim);
    stone *= 1.0 - 0.45 * lines(at, 6.0 * blur, 0.035);
    stone *= 1.0 - 0.5 * (1.0 - smoothstep(0.0, 0.006 + blur, beside)) - 0.3 * (1.0 - smoothstep(0.0, 0.008 + blur, abs(beside - 0.10)));
    float cover = 1.0 - smoothstep(0.55, 1.0, length(off) / (reach - 1.0));
    return vec4(cover * stone * (SKYLIGHT + sun.y * SUNLIGHT), cover);
}
#endif

void main() {
#if SURFACE
    if (below > 0.0) discard; // the strip's walls: the pool has its own
#endif
    vec3 view = place - eye;
    float far = length(view);
    view /= far;
#if !SURFACE
    if (dot(normal, view) > 0.0) discard; // from behind
#endif
    vec4 middle = value2(ball, vec2(0.5));
    float ball_way = meets(middle, eye, view);
    light = ball_way < far ? vec4(balled(middle, eye + ball_way * view, false), 1.0) : seen(middle, view, far);
}
