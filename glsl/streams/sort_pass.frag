// Formula:   of items i < j = partner of i, the lower place gets the one that sorts earlier: STEPS times, then INSIDE the texel
// Inputs:    items (four keys or two PAIRS (key, value) a texel), where each step goes
// Domain and range: the texels of `items`, a power of two wide and high -> the same
// Edges:     none: partners are inside
// Reference: Batcher, Sorting Networks and Their Applications, 1968; Buck & Purcell, GPU Gems, 37.5 (bitonic sort in passes)
//
// STEPS with partners in other texels, of which the first may be MIRRORED, then those INSIDE the texel: 1 merges two halves that
// are in order, 2 sorts, 0 does nothing. A step is (its distance, half of the inverse of that); a mirrored one (its block, the inverse).
uniform Stream items;
uniform vec4 first, second, third;
DOMAIN at;
RANGE vec4 sorted;

#if PAIRS
#define KEYS(texel) (texel).xxzz
#define REVERSED(texel) (texel).zwxy
#else
#define KEYS(texel) (texel)
#define REVERSED(texel) (texel).wzyx
#endif

// The item that is kept of one's own and the partner's: equal ones stay, and NaN comes after all numbers.
vec4 exchange(vec4 own, vec4 partner, bvec4 lower) {
    vec4 a = KEYS(mix(partner, own, lower)), b = KEYS(mix(own, partner, lower));
    vec4 earlier = mix(partner, own, lessThanEqual(a, b));
    return mix(earlier, own, isnan(b));
}

// The texel at a distance of a power of two, in blocks of twice as many: it is on the other side of the block's middle.
vec2 hop(vec2 place, vec4 step) {
    return place + step.xy - 2.0 * step.xy * floor(2.0 * fract(place * step.zw));
}

// The mirror image in blocks of a power of two.
vec2 mirror(vec2 place, vec4 step) {
    return step.xy + 2.0 * step.xy * floor(place * step.zw) - place;
}

// Rows follow each other, so of two texels the one in the upper row comes first.
bvec4 comes_first(vec2 place, vec2 partner) {
    return bvec4(place.y == partner.y ? place.x < partner.x : place.y < partner.y);
}

#define AFTER after_0
vec4 after_0(vec2 place) {
    return value2(items, place);
}

#if STEPS > 0
#undef AFTER
#define AFTER after_1
vec4 after_1(vec2 place) {
#if MIRRORED
    vec2 partner = mirror(place, first);
    return exchange(after_0(place), REVERSED(after_0(partner)), comes_first(place, partner));
#else
    vec2 partner = hop(place, first);
    return exchange(after_0(place), after_0(partner), comes_first(place, partner));
#endif
}
#endif

#if STEPS > 1
#undef AFTER
#define AFTER after_2
vec4 after_2(vec2 place) {
    vec2 partner = hop(place, second);
    return exchange(after_1(place), after_1(partner), comes_first(place, partner));
}
#endif

#if STEPS > 2
#undef AFTER
#define AFTER after_3
vec4 after_3(vec2 place) {
    vec2 partner = hop(place, third);
    return exchange(after_2(place), after_2(partner), comes_first(place, partner));
}
#endif

void main() {
    vec4 texel = AFTER(floor(at) + 0.5);
#if INSIDE == 2 && !PAIRS
    texel = exchange(texel, texel.yxwz, bvec4(true, false, true, false));
    texel = exchange(texel, texel.wzyx, bvec4(true, true, false, false));
#elif INSIDE && !PAIRS
    texel = exchange(texel, texel.zwxy, bvec4(true, true, false, false));
#endif
#if INSIDE && PAIRS
    texel = exchange(texel, texel.zwxy, bvec4(true, true, false, false));
#elif INSIDE
    texel = exchange(texel, texel.yxwz, bvec4(true, false, true, false));
#endif
    sorted = texel;
}
