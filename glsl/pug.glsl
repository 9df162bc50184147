// Words of every kernel: a Stream is a texture read by element, in texels, centres at n + 1/2.
struct Stream {
    sampler2D texels;
    vec4 extent; // width, height, 1/width, 1/height
};

// Normalised address of a texel position. At a DOMAIN itself the rasterizer has made it already: there the
// loader puts what is interpolated in the place of addressOf(), value2() and valueOffset().
vec2 addressOf(Stream stream, vec2 position) {
    return position * stream.extent.zw;
}

// The only element of a 1x1 stream: a scalar that stayed on the GPU.
vec4 value0(Stream stream) {
    return textureLod(stream.texels, vec2(0.5), 0.0);
}

// Element at a texel position: the address is normalised, so the edge rule of the stream applies.
vec4 value2(Stream stream, vec2 position) {
    return textureLod(stream.texels, position * stream.extent.zw, 0.0);
}

// Its neighbour at a constant offset, -8 to 7 each way: address arithmetic that costs nothing.
#define valueOffset(stream, position, offset) \
    textureLodOffset((stream).texels, (position) * (stream).extent.zw, 0.0, offset)

// Centre of element `index` of an array folded row by row; right for every index below 2^24.
vec2 fold(Stream stream, float index) {
    float row = floor((index + 0.5) * stream.extent.z);
    float column = index - row * stream.extent.x;
    float carry = float(column >= stream.extent.x) - float(column < 0.0); // when 1/width was rounded
    return vec2(column - carry * stream.extent.x, row + carry) + 0.5;
}

// Element of a folded array by its index, from 0.
vec4 value(Stream stream, float index) {
    return value2(stream, fold(stream, index));
}

// Element (column, row) of a field that is packed 2x2: r g is the upper row of a texel, b a the lower.
float valuePacked(Stream stream, vec2 place) {
    vec2 texel = floor(place * 0.5);
    vec4 block = value2(stream, texel + 0.5);
    vec2 odd = place - 2.0 * texel;
    vec2 row = odd.y > 0.5 ? block.ba : block.rg;
    return odd.x > 0.5 ? row.y : row.x;
}

// Element `index` of an array that lies four to a texel, its texels folded row by row.
float valueFours(Stream stream, float index) {
    float texel = floor(0.25 * index), place = index - 4.0 * texel;
    vec4 four = value(stream, texel);
    return place < 0.5 ? four.x : place < 1.5 ? four.y : place < 2.5 ? four.z : four.w;
}
