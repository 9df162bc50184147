// Formula:   at a node p between four cells: (height, d height/dx, d height/dy, 1 if a height is not finite, else -1 times the part of stone)
// Inputs:    heights (width x height, R = height, 1e20 in stone), stone = how high that is, spread = half the distance of the cells that are asked
// Domain and range: node (i, j) at i, j times the cells a node stands for -> the nodes of the mesh
// Edges:     clamp
// Reference: house; central differences
uniform Stream heights;
uniform float spread; // n + 1/2, so that p +- spread are centres of cells
uniform float stride; // cells a node
uniform float stone;
RANGE vec4 node;

bool is_wild(float h) {
    return isnan(h) || abs(h) > 1e30;
}

// x: the height; y: 1 if it is wild; z: 1 of stone.
vec3 height_at(vec2 place) {
    float h = value2(heights, clamp(place, vec2(0.5), heights.extent.xy - 0.5)).x;
    bool wild = is_wild(h), rocky = !wild && h > 1e15;
    return vec3(wild ? 0.0 : rocky ? stone : h, wild, rocky);
}

void main() {
    vec2 corner = min((gl_FragCoord.xy - 0.5) * stride, heights.extent.xy);
    vec3 a = height_at(corner + vec2(-spread, -spread)), b = height_at(corner + vec2(spread, -spread));
    vec3 c = height_at(corner + vec2(-spread, spread)), d = height_at(corner + vec2(spread, spread));
    vec4 h = vec4(a.x, b.x, c.x, d.x);
    float wild = max(max(a.y, b.y), max(c.y, d.y)), rocky = 0.25 * (a.z + b.z + c.z + d.z);
    vec2 slope = vec2(h.y - h.x + h.w - h.z, h.z - h.x + h.w - h.y) / (4.0 * spread);
    node = vec4(dot(h, vec4(0.25)), slope, wild > 0.0 ? 1.0 : -rocky);
}
