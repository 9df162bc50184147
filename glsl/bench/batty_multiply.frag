// Formula:   y = A x, seven diagonals, four voxels along x a texel, texels wrapped row by row
// Inputs:    x and seven diagonals; texels to the next row and slice of voxels, or the same as (texels, texels / width)
// Domain and range: all texels of the wrapped array
// Edges:     entries are 0 where a neighbour is none; the first and last texels of the array belong to no voxel
// Reference: Batty, Wiebe & Houston 2003, septdiagmul.cg and Appendix C.2, C.3 and C.5
//
// ADDRESS: 0 divides and takes a modulus for each neighbour, as they did first; 1 has a row that is skewed, and a modulus by
// a multiplication; 2 has the column in the row's fraction, as they did last. PASSED: offsets come ready made.
uniform Stream x;
uniform Stream diagonal, to_west, to_east, to_north, to_south, to_below, to_above;
#if PASSED
uniform vec2 next, row, slice;
#define OFFSET(way) way
#else
uniform float row, slice;
#define OFFSET(texels) vec2(texels, (texels) * x.extent.z)
#endif
DOMAIN at;
RANGE vec4 y;

// The element `offset` behind the texel: its column, and its row with the column as a fraction.
vec4 along(vec2 place, vec2 offset) {
#if ADDRESS == 0
    float index = floor(place.y) * x.extent.x + floor(place.x) + offset.x;
    return value2(x, vec2(mod(index, x.extent.x) + 0.5, floor((index + 0.5) / x.extent.x) + 0.5));
#else
    float further = place.y + offset.y;
    float wrapped = floor(further);
#if ADDRESS == 1
    float column = place.x + offset.x;
    column -= x.extent.x * floor(column * x.extent.z);
#else
    float column = (further - wrapped) * x.extent.x;
#endif
    return value2(x, vec2(column, wrapped + 0.5));
#endif
}

void main() {
#if ADDRESS == 0
    vec2 place = at;
#else
    // "Skewed" coordinates: rows of the texture and, behind the point, how far along; so one addition wraps by itself.
    vec2 place = vec2(at.x, floor(at.y) + at.x * x.extent.z);
#endif
#if !PASSED
    float next = 1.0;
#endif
    vec4 own = value2(x, at);
    vec4 west = vec4(along(place, OFFSET(-next)).a, own.rgb), east = vec4(own.gba, along(place, OFFSET(next)).r);
    y = value2(diagonal, at) * own + value2(to_west, at) * west + value2(to_east, at) * east
        + value2(to_north, at) * along(place, OFFSET(-row)) + value2(to_south, at) * along(place, OFFSET(row))
        + value2(to_below, at) * along(place, OFFSET(-slice)) + value2(to_above, at) * along(place, OFFSET(slice));
}
