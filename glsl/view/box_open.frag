// Formula:   the part sum of max(n.d, 0) lit / sum of max(n.d, 0) of the sky, over 16 ways d to it, that no box hides
// Inputs:    skies (4 x 4 tiles: the depths of boxes along each way), ways (three rows of a matrix each), offset; placements and texels (along a side of a face), or ground
// Domain and range: texels squared a face, six across, a box below the other; with GROUND a square around (ground.x, ground.z) -> the part
// Edges:     the nearest texel of a tile
// Reference: Pharr & Green, Ambient Occlusion, GPU Gems, 2004, chapter 17 (shadow maps from many sides)
uniform Stream skies;
uniform vec4 ways[48];
uniform float offset; // along the normal, so that a surface does not shade itself
#if GROUND
uniform vec4 ground; // x, height, z, half a side
#else
uniform Stream placements;
uniform float texels; // along a side of a face
#endif
DOMAIN at;
RANGE float open;

// The part of the four texels around the place that way k comes to.
float lit_part(int k, vec4 p) {
    vec3 place = vec3(dot(ways[3 * k], p), dot(ways[3 * k + 1], p), dot(ways[3 * k + 2], p));
    float tile = 0.25 * skies.extent.x, row = floor((float(k) + 0.5) * 0.25);
    vec2 texel = clamp((place.xy * 0.5 + 0.5) * tile - 0.5, vec2(0.0), vec2(tile - 1.001)), part = fract(texel);
    vec2 first = texel - part + 0.5 + tile * vec2(float(k) - 4.0 * row, row);
    vec4 stored = vec4(value2(skies, first).x, value2(skies, first + vec2(1.0, 0.0)).x,
                       value2(skies, first + vec2(0.0, 1.0)).x, value2(skies, first + vec2(1.0, 1.0)).x);
    vec4 lit = step(place.zzzz, stored);
    vec2 rows = mix(lit.xz, lit.yw, part.x);
    return mix(rows.x, rows.y, part.y);
}

float open_part(vec3 place, vec3 normal) {
    vec4 p = vec4(place + offset * normal, 1.0);
    float sum = 0.0, all = 1e-6;
    for (int k = 0; k < 16; k++) {
        float facing = max(-dot(ways[3 * k + 2].xyz, normal), 0.0);
        all += facing;
        if (facing > 0.0) sum += facing * lit_part(k, p);
    }
    return sum / all;
}

vec3 turned(vec4 q, vec3 v) {
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

void main() {
#if GROUND
    vec3 place = ground.xyz + ground.w * vec3(at.x, 0.0, at.y), normal = vec3(0.0, 1.0, 0.0);
#else
    vec2 cell = floor(at / texels), on = 2.0 * (at / texels - cell) - 1.0;
    float axis = floor((cell.x + 0.5) * 0.5), away = 2.0 * (cell.x - 2.0 * axis) - 1.0;
    vec3 own = axis < 0.5 ? vec3(away, 0.0, 0.0) : axis < 1.5 ? vec3(0.0, away, 0.0) : vec3(0.0, 0.0, away);
    vec3 corner = own + (axis < 0.5 ? vec3(0.0, on) : axis < 1.5 ? vec3(on.y, 0.0, on.x) : vec3(on, 0.0));
    vec4 turn = value2(placements, vec2(1.5, cell.y + 0.5));
    vec3 half_sides = value2(placements, vec2(2.5, cell.y + 0.5)).xyz;
    vec3 place = value2(placements, vec2(0.5, cell.y + 0.5)).xyz + turned(turn, half_sides * corner), normal = turned(turn, own);
#endif
    open = open_part(place, normal);
}
