// Formula:   normal += (b - a) x (c - a) / (|b - a|^2 + |c - a|^2 + |c - b|^2), at each corner a of each triangle
// Inputs:    corners (address of the vertex, which of the triangle's three corners), folded; positions (x, curvature)
// Domain and range: gl_VertexID -> the texel of the vertex, a point of one texel
// Edges:     a triangle that is a point adds nothing
// Reference: Harris, Mapping Computational Concepts to GPUs (scatter by points); Max, Weights for Computing Vertex Normals, 1999
//
// The weight is 0.29 at most, whatever the size of a triangle, and goes to 0 for slivers: half floats hold the sum.
uniform Stream corners, positions;
out vec3 normal;

vec4 cornerOf(float number) {
    float address = value(corners, number).x, row = floor(address);
    return vec4(value2(positions, vec2(4096.0 * (address - row), row) + 0.5).xyz, address);
}

void main() {
    float own = float(gl_VertexID), k = value(corners, own).y, first = own - k;
    vec4 a = cornerOf(own), b = cornerOf(first + mod(k + 1.0, 3.0)), c = cornerOf(first + mod(k + 2.0, 3.0));
    vec3 u = b.xyz - a.xyz, v = c.xyz - a.xyz, w = v - u;
    float sum = dot(u, u) + dot(v, v) + dot(w, w), row = floor(a.w);
    normal = sum > 1e-30 ? cross(u, v) / sum : vec3(0.0);
    vec2 texel = vec2(4096.0 * (a.w - row), row) + 0.5;
    gl_Position = vec4(texel * 2.0 / scatter_range - 1.0, 0.0, 1.0);
    gl_PointSize = 1.0;
}
