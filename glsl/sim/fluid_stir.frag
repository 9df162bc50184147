// Formula:   MODE 0: u' = u + amount w, MODE 1: q' = max(q, amount w), MODE 2: q' = q + w (amount - q) of the three colours; w = (1 - (r / radius)^2)^2 within the disc, 0 outside, and hard (1): 1 inside, hard (2): 1 in the square
// Inputs:    field (MODE 0: velocity, else dye), centre and radius (spacings), first (MODE 0: where the first u and v lie, else the first dye), period (spacings, 0 where not periodic), amount, MODE 2: hard (0 to 2)
// Domain and range: all texels of the field
// Edges:     around a periodic axis the nearest image of the disc
// Reference: the mouse
uniform Stream field;
uniform vec2 centre;
uniform float radius;
uniform vec4 first;
uniform vec2 period;
uniform vec4 amount;
#if MODE == 2
uniform float hard;
#endif
DOMAIN at;
#if MODE == 0
RANGE vec2 next;
#else
RANGE vec4 next;
#endif

vec2 nearest(vec2 place) {
    vec2 way = place - centre;
    return way - period * floor(way / max(period, vec2(1e-30)) + 0.5) * vec2(greaterThan(period, vec2(0.0)));
}

float weight(vec2 place) {
    vec2 way = nearest(place);
    float inside = max(1.0 - dot(way, way) / (radius * radius), 0.0);
    return inside * inside;
}

void main() {
    vec2 place = floor(at);
#if MODE == 0
    next = value2(field, at).xy + amount.xy * vec2(weight(place + first.xy), weight(place + first.zw));
#elif MODE == 1
    next = max(value2(field, at), amount * weight(place + first.xy));
#else
    vec2 way = nearest(place + first.xy);
    float far = hard > 1.5 ? max(way.x * way.x, way.y * way.y) : dot(way, way);
    vec4 before = value2(field, at);
    float share = hard > 0.5 ? float(far <= radius * radius) : weight(place + first.xy);
    next = vec4(mix(before.rgb, amount.rgb, share), before.a);
#endif
}
