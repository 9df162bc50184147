// Formula:   target_t(x, i) = sum over blocks k of A(i, k) B(k, t chunk + x), 4x4 times 4x1; A(k, i)' B(k, ...) if TRANSPOSED
// Inputs:    a, b (4x1 columns), before_t (what the passes before made, if ACCUMULATE), blocks, chunk, rows
// Domain and range: the texels of a target: `chunk` columns for each part of the blocks -> the same of all TARGETS
// Edges:     columns of A past the last take no part; rows past the last of the result are 0
// Reference: Moravanszky, Dense Matrix Algebra on the GPU, 3.3 and 3.4
//
// Each part goes through blocks.z of the blocks from blocks.x to blocks.y. Every block of A that is fetched meets a block
// of B for each target: 4 + TARGETS fetches make 16 TARGETS products. REST columns of A are left over from its blocks of four.
uniform Stream a, b;
DECLARE_BEFORE
uniform vec3 blocks;
uniform float chunk;
uniform float rows; // of the result
DOMAIN at;
DECLARE_TARGETS

#if TRANSPOSED
#define PRODUCT(column) vec4(dot(a0, column), dot(a1, column), dot(a2, column), dot(a3, column))
#else
#define PRODUCT(column) (a0 * column.x + a1 * column.y + a2 * column.z + a3 * column.w)
#endif

#define begin(target, before, sum, across, t) vec2 across = vec2((x + t * chunk) * b.extent.z, 0.0); vec4 sum = FIRST(before);
#define add(target, before, sum, across, t) { vec4 column = textureLod(b.texels, across + down, 0.0); sum += PRODUCT(column); }
#define finish(target, before, sum, across, t) target = mix(vec4(0.0), sum, inside);

void main() {
    float part = floor(at.x / chunk), x = at.x - part * chunk, row = floor(at.y);
    float first = blocks.x + part * blocks.z, last = min(first + blocks.z, blocks.y);
    EACH_TARGET(begin)
    vec2 pitch = a.extent.zw;
#if TRANSPOSED
    vec2 place = vec2((4.0 * row + 0.5) * pitch.x, 0.5 * pitch.y), stride = vec2(0.0, pitch.y);
#else
    vec2 place = vec2(0.5 * pitch.x, (row + 0.5) * pitch.y), stride = vec2(4.0 * pitch.x, 0.0);
#endif
#if REST
    float whole = min(last, floor(a.extent.x * 0.25));
#else
    float whole = last;
#endif
    for (float block = first; block < whole; block += 1.0) {
        vec2 corner = place + block * stride, down = vec2(0.0, (block + 0.5) * b.extent.w);
        vec4 a0 = textureLod(a.texels, corner, 0.0);
        vec4 a1 = textureLodOffset(a.texels, corner, 0.0, ivec2(1, 0));
        vec4 a2 = textureLodOffset(a.texels, corner, 0.0, ivec2(2, 0));
        vec4 a3 = textureLodOffset(a.texels, corner, 0.0, ivec2(3, 0));
        EACH_TARGET(add)
    }
#if REST
    if (max(first, whole) < last) { // a part may be empty
        vec2 corner = place + whole * stride, down = vec2(0.0, (whole + 0.5) * b.extent.w);
        vec4 a0 = textureLod(a.texels, corner, 0.0), a1 = vec4(0.0), a2 = a1, a3 = a1;
#if REST > 1
        a1 = textureLodOffset(a.texels, corner, 0.0, ivec2(1, 0));
#endif
#if REST > 2
        a2 = textureLodOffset(a.texels, corner, 0.0, ivec2(2, 0));
#endif
        EACH_TARGET(add)
    }
#endif
    bvec4 inside = lessThan(4.0 * row + vec4(0.0, 1.0, 2.0, 3.0), vec4(rows));
    EACH_TARGET(finish)
}
