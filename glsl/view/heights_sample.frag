// Formula:   at a node p between four cells: (height, d height/dx, d height/dy, 1 if a height is not finite)
// Inputs:    heights (width x height, R = height), spread = half the distance of the cells that are asked
// Domain and range: node (i, j) at i, j times the cells a node stands for -> the nodes of the mesh
// Edges:     clamp
// Reference: house; central differences
uniform Stream heights;
uniform float spread; // n + 1/2, so that p +- spread are centres of cells
uniform float stride; // cells a node
RANGE vec4 node;

bool is_wild(float h) {
    return isnan(h) || abs(h) > 1e30;
}

float height_at(vec2 place, inout float wild) {
    float h = value2(heights, clamp(place, vec2(0.5), heights.extent.xy - 0.5)).x;
    wild = max(wild, float(is_wild(h)));
    return is_wild(h) ? 0.0 : h;
}

void main() {
    vec2 corner = min((gl_FragCoord.xy - 0.5) * stride, heights.extent.xy);
    float wild = 0.0;
    vec4 h = vec4(height_at(corner + vec2(-spread, -spread), wild), height_at(corner + vec2(spread, -spread), wild),
                  height_at(corner + vec2(-spread, spread), wild), height_at(corner + vec2(spread, spread), wild));
    vec2 slope = vec2(h.y - h.x + h.w - h.z, h.z - h.x + h.w - h.y) / (4.0 * spread);
    node = vec4(dot(h, vec4(0.25)), slope, wild);
}
