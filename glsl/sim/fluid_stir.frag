// Formula:   MODE 0: u' = u + amount w, MODE 1: q' = max(q, amount w), w = (1 - (r / radius)^2)^2 within the disc, 0 outside
// Inputs:    field (MODE 0: velocity, MODE 1: dye), centre and radius (spacings), first (MODE 0: where the first u and v lie, MODE 1: the first dye), period (spacings, 0 where not periodic), amount
// Domain and range: all texels of the field
// Edges:     around a periodic axis the nearest image of the disc
// Reference: the mouse
uniform Stream field;
uniform vec2 centre;
uniform float radius;
uniform vec4 first;
uniform vec2 period;
uniform vec4 amount;
DOMAIN at;
#if MODE == 0
RANGE vec2 next;
#else
RANGE vec4 next;
#endif

float weight(vec2 place) {
    vec2 way = place - centre;
    way -= period * floor(way / max(period, vec2(1e-30)) + 0.5) * vec2(greaterThan(period, vec2(0.0)));
    float inside = max(1.0 - dot(way, way) / (radius * radius), 0.0);
    return inside * inside;
}

void main() {
    vec2 place = floor(at);
#if MODE == 0
    next = value2(field, at).xy + amount.xy * vec2(weight(place + first.xy), weight(place + first.zw));
#else
    next = max(value2(field, at), amount * weight(place + first.xy));
#endif
}
