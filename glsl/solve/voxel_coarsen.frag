// Formula:   of each 2x2x2 voxels: PART 0 their sum; 5 that of y - A fine; 1 their diagonal less twice the weights among them; 2, 3, 4 their weights towards x, y, z
// Inputs:    fine: a vector, the diagonal, or the weights along that axis; scale; PART 1: all weights; 5: y and those of A as in seven_point.frag, hop; tiles of both boxes, fine slices
// Domain and range: all texels of the coarse box
// Edges:     beyond the fine box is 0
// Reference: Braess 1995, A = P'AP with P constant on each aggregate, times the scale
uniform Stream fine;
#if PART == 5
uniform Stream y, diagonal;
#endif
#if PART == 1 || PART == 5 && WEIGHTS
uniform Stream to_east, to_south, to_above;
#endif
uniform vec3 fine_tiles, coarse_tiles; // columns and rows of texels, and tiles in a row
uniform float slices, scale;
#if PART == 5
uniform vec2 hop;
#endif
DOMAIN at;
RANGE vec4 coarse;

// The 2x2 fine voxels below coarse voxel `cell` are the texel of that number in a slice.
vec2 fineTexel(vec2 cell, float slice) {
    float row = floor((slice + 0.5) / fine_tiles.z);
    return vec2(slice - row * fine_tiles.z, row) * fine_tiles.xy + cell + 0.5;
}

float sum(vec4 four) {
    return dot(four, vec4(1.0));
}

#if PART == 5
// y - A x of the texel at a place, x being `fine`.
vec4 rest(vec2 place) {
    vec2 address = addressOf(fine, place);
    vec4 own = textureLod(fine.texels, address, 0.0), d = textureLod(diagonal.texels, address, 0.0);
    Neighbours x_of = neighboursOf(fine, address, own, hop);
#if WEIGHTS
    vec4 east = textureLod(to_east.texels, address, 0.0), west = westOf(to_east, address, east);
    vec4 south = textureLod(to_south.texels, address, 0.0), north = northOf(to_south, address, south);
    vec4 above = textureLod(to_above.texels, address, 0.0), below = belowOf(to_above, address, hop);
    vec4 others = (west * x_of.west + east * x_of.east) + (north * x_of.north + south * x_of.south)
        + (below * x_of.below + above * x_of.above);
#else
    vec4 others = (x_of.west + x_of.east) + (x_of.north + x_of.south) + (x_of.below + x_of.above);
#endif
    return textureLod(y.texels, address, 0.0) - step(vec4(1e-30), d) * (d * own - others);
}
#endif

float of(vec2 cell, float slice) {
    vec2 lower = fineTexel(cell, slice), upper = fineTexel(cell, slice + 1.0);
#if PART == 5
    vec4 low = rest(lower), high = rest(upper);
#else
    vec4 low = value2(fine, lower), high = value2(fine, upper);
#endif
    float inside = step(cell.x + 0.5, fine_tiles.x) * step(cell.y + 0.5, fine_tiles.y);
    float inside_low = inside * step(slice + 0.5, slices), inside_high = inside * step(slice + 1.5, slices);
#if PART == 0 || PART == 5
    return sum(inside_low * low + inside_high * high);
#elif PART == 1
    low -= 2.0 * value2(to_above, lower); // to the upper texel, or to nothing
    low.rb -= 2.0 * value2(to_east, lower).rb;
    high.rb -= 2.0 * value2(to_east, upper).rb;
    low.rg -= 2.0 * value2(to_south, lower).rg;
    high.rg -= 2.0 * value2(to_south, upper).rg;
    return sum(inside_low * low + inside_high * high);
#elif PART == 2
    return inside_low * (low.g + low.a) + inside_high * (high.g + high.a);
#elif PART == 3
    return inside_low * (low.b + low.a) + inside_high * (high.b + high.a);
#else
    return inside_high * sum(high);
#endif
}

void main() {
    vec2 tile = floor(at / coarse_tiles.xy);
    vec2 cell = 2.0 * (at - 0.5 - tile * coarse_tiles.xy);
    float slice = 2.0 * (tile.y * coarse_tiles.z + tile.x);
    coarse = scale * vec4(
        of(cell, slice), of(cell + vec2(1.0, 0.0), slice),
        of(cell + vec2(0.0, 1.0), slice), of(cell + vec2(1.0, 1.0), slice));
}
