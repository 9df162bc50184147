// Formula:   A x = d x - sum of w x over the six neighbours; FORM 0: A x, 1: A x + y, -1: A x - y, 2: y - A x, 3: x + f (y - A x) / d, 4: f y / d
// Inputs:    x, y, diagonal (voxels); w is 1, or in the variant WEIGHTS `to_east`, `to_south` and `to_above`; hop of a slice; factor f
// Domain and range: all texels of the box
// Edges:     where d = 0 there is no unknown: x holds 0 there, and the result is 0 (plus or minus y)
// Reference: Batty, Wiebe & Houston 2003 (row D1); symmetry leaves four of its seven textures, entries of -1 leave one
#if FORM != 4
uniform Stream x;
#endif
#if FORM != 0
uniform Stream y;
#endif
uniform Stream diagonal;
#if WEIGHTS && FORM != 4
uniform Stream to_east, to_south, to_above;
#endif
#if FORM != 4
uniform vec2 hop;
#endif
#if FORM >= 3
uniform float factor;
#endif
DOMAIN at;
RANGE vec4 result;

#if FORM != 4
// The sum that the neighbours of the texel's own x take from it.
vec4 fromNeighbours(vec2 address, vec4 own) {
    Neighbours x_of = neighboursOf(x, address, own, hop);
#if WEIGHTS
    // The weight towards a neighbour is its own towards us.
    vec4 east = textureLod(to_east.texels, address, 0.0), west = westOf(to_east, address, east);
    vec4 south = textureLod(to_south.texels, address, 0.0), north = northOf(to_south, address, south);
    vec4 above = textureLod(to_above.texels, address, 0.0), below = belowOf(to_above, address, hop);
    return (west * x_of.west + east * x_of.east) + (north * x_of.north + south * x_of.south)
        + (below * x_of.below + above * x_of.above);
#else
    return (x_of.west + x_of.east) + (x_of.north + x_of.south) + (x_of.below + x_of.above);
#endif
}
#endif

void main() {
    vec4 d = value2(diagonal, at);
    vec4 unknown = step(vec4(1e-30), d);
#if FORM >= 3
    vec4 inverse = factor * unknown / max(d, vec4(1e-30));
#endif
#if FORM == 4
    result = inverse * value2(y, at);
#else
    vec4 own = value2(x, at);
    vec4 product = unknown * (d * own - fromNeighbours(addressOf(x, at), own));
#if FORM == 0
    result = product;
#elif FORM == 1
    result = product + value2(y, at);
#elif FORM == -1
    result = product - value2(y, at);
#elif FORM == 2
    result = value2(y, at) - product;
#else
    result = own + inverse * (value2(y, at) - product);
#endif
#endif
}
