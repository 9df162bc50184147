// Formula:   seen = two numbers of 16 bits, each as high and low byte: the share of the grid's side along x, and 1 + 49150 shares along z; of a wall its number and depth instead
// Inputs:    place and below of mesh_place; half_sides
// Domain and range: the triangles of the mesh -> where on the grid a texel looks
// Edges:     a second number of 0 is nowhere; 49152 + 4096 side + 4095 sqrt(depth) is a wall: sides 0 and 1 end x, 2 and 3 end z, the first number runs along it
// Reference: Deering et al., The Triangle Processor and Normal Vector Shader, 1988; house
uniform vec2 half_sides;
in vec3 place;
in float below;
RANGE vec4 seen;

// A whole number below 65536.
vec2 bytesOf(float n) {
    float high = floor(n / 256.0);
    return vec2(high, n - 256.0 * high) / 255.0;
}

void main() {
    vec2 share = clamp(0.5 + 0.5 * place.xz / half_sides, 0.0, 1.0), gap = abs(abs(place.xz) - half_sides);
    float which = 1.0 + floor(49150.0 * share.y + 0.5);
    if (below > 0.0) {
        float side = gap.x < gap.y ? step(0.0, place.x) : 2.0 + step(0.0, place.z);
        which = 49152.0 + 4096.0 * side + floor(4095.0 * sqrt(min(below, 1.0)) + 0.5);
        share = gap.x < gap.y ? share.yy : share;
    }
    seen = vec4(bytesOf(floor(65535.0 * share.x + 0.5)), bytesOf(which));
}
