// Formula:   of each 2x2x2 voxels: PART 0 their sum; 1 their diagonal less twice the weights among them; 2, 3, 4 their weights towards x, y, z
// Inputs:    fine: a vector, the diagonal, or the weights along that axis; scale; PART 1: all weights; tiles of both boxes, fine slices
// Domain and range: all texels of the coarse box
// Edges:     beyond the fine box is 0
// Reference: Braess 1995, A = P'AP with P constant on each aggregate, times the scale
uniform Stream fine;
#if PART == 1
uniform Stream to_east, to_south, to_above;
#endif
uniform vec3 fine_tiles, coarse_tiles; // columns and rows of texels, and tiles in a row
uniform float slices, scale;
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

float of(vec2 cell, float slice) {
    vec2 lower = fineTexel(cell, slice), upper = fineTexel(cell, slice + 1.0);
    vec4 low = value2(fine, lower), high = value2(fine, upper);
    float inside = step(cell.x + 0.5, fine_tiles.x) * step(cell.y + 0.5, fine_tiles.y);
    float inside_low = inside * step(slice + 0.5, slices), inside_high = inside * step(slice + 1.5, slices);
#if PART == 0
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
