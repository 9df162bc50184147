// Formula:   START 1: what is known; START 0: each of u, v, w where it is known, else the mean of the neighbours that know it
// Inputs:    u, v, w on the faces across x, y, z; START 1: cells (0 solid, 1 air, 2 fluid); START 0: known; hop
// Domain and range: all faces
// Edges:     walls have 0 and hand nothing on
// Reference: Batty, Wiebe & Houston 2003, section 2 (velocity beyond the surface)
//
// known: 1, 8 and 64 for u, v, w that are known, 512, 1024 and 2048 for those that never will be: walls. So the lower digits of six
// neighbours add up to how many of them know each.
uniform Stream u, v, w;
#if START
uniform Stream cells;
#else
uniform Stream known;
#endif
uniform vec2 hop;
DOMAIN at;
RANGE vec4 u_then;
RANGE vec4 v_then;
RANGE vec4 w_then;
RANGE vec4 known_then;

#if START
struct Face {
    vec4 known, wall;
};

// The face between cells of these kinds.
Face between(vec4 kind, vec4 before) {
    vec4 open = step(0.5, min(kind, before));
    return Face(open * step(1.5, max(kind, before)), 1.0 - open);
}
#else
vec4 sum(Neighbours of) {
    return ((of.west + of.east) + (of.north + of.south)) + (of.below + of.above);
}

vec4 lower(vec4 number) {
    return number - 512.0 * floor(number / 512.0);
}

// The digits of a number, the lowest first.
struct Digits {
    vec4 u, v, w;
};

Digits digits(vec4 number, float base) {
    vec4 third = floor(number / (base * base)), rest = number - base * base * third, second = floor(rest / base);
    return Digits(rest - base * second, second, third);
}

// 1 where some neighbours know what is neither known nor a wall.
vec4 found(vec4 count, vec4 known_here, vec4 wall) {
    return step(0.5, count) * (1.0 - known_here - wall);
}

// An unknown value is 0 and adds nothing to the sum.
vec4 extended(Stream velocity, vec2 here, vec4 count, vec4 found_here) {
    vec4 own = textureLod(velocity.texels, here, 0.0);
    return own + found_here * sum(neighboursOf(velocity, here, own, hop)) / max(count, 1.0);
}
#endif

void main() {
#if START
    vec2 here = addressOf(cells, at);
    vec4 kind = textureLod(cells.texels, here, 0.0);
    Face of_u = between(kind, westOf(cells, here, kind)), of_v = between(kind, northOf(cells, here, kind));
    Face of_w = between(kind, belowOf(cells, here, hop));
    u_then = of_u.known * value2(u, at);
    v_then = of_v.known * value2(v, at);
    w_then = of_w.known * value2(w, at);
    known_then = (of_u.known + 8.0 * of_v.known + 64.0 * of_w.known) + 512.0 * (of_u.wall + 2.0 * of_v.wall + 4.0 * of_w.wall);
#else
    vec2 here = addressOf(known, at);
    vec4 how = textureLod(known.texels, here, 0.0);
    Neighbours of = neighboursOf(known, here, how, hop);
    Digits count = digits(sum(Neighbours(lower(of.west), lower(of.east), lower(of.north),
                                         lower(of.south), lower(of.below), lower(of.above))), 8.0);
    Digits knows = digits(lower(how), 8.0), walls = digits(floor(how / 512.0), 2.0);
    vec4 in_u = found(count.u, knows.u, walls.u), in_v = found(count.v, knows.v, walls.v), in_w = found(count.w, knows.w, walls.w);
    u_then = extended(u, here, count.u, in_u);
    v_then = extended(v, here, count.v, in_v);
    w_then = extended(w, here, count.w, in_w);
    known_then = how + (in_u + 8.0 * in_v + 64.0 * in_w);
#endif
}
