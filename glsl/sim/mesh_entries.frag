// Formula:   a_ij = -t (cot(j, p, i) + cot(i, n, j)), m_ij = share (|(j - p) x (i - p)| + |(i - n) x (j - n)|)
// Inputs:    positions (a vertex a texel), corners = addresses of i, j, n, p (next and previous neighbour of i beside j)
// Domain and range: all slots of all rows -> (a_ij, address of j, m_ij, whether the edge is one of a curve)
// Edges:     on a curve n = p = -1: a_ij = -t / |j - i|, m_ij = |j - i| / 2; a slot without an entry has n = p = i: 0
// Reference: Bolz et al., Sparse Matrix Solvers on the GPU, 3.1.2
//
// The sum of m_ij over a row is 4 A_i times the share: each triangle at i lies beside two of its edges.
uniform Stream positions, corners;
uniform float time_step, share;
DOMAIN at;
RANGE vec4 entry;

// The address of a place is row + column / 4096.
vec3 vertex(float address) {
    float row = floor(address);
    return value2(positions, vec2(4096.0 * (address - row), row) + 0.5).xyz;
}

// The cotangent of the triangle's angle at b, and twice its area. A triangle less than a 4096th as high as long has no
// angles that 32 bits know: it takes no part, at any of its edges, which leaves the matrix definite.
vec2 angle(vec3 a, vec3 b, vec3 c) {
    vec3 u = a - b, v = c - b, across = cross(u, v);
    float longest2 = max(max(dot(u, u), dot(v, v)), dot(u - v, u - v));
    float doubled = length(across);
    return doubled <= longest2 / 4096.0 ? vec2(0.0) : vec2(dot(u, v) / doubled, doubled);
}

void main() {
    vec4 corner = value2(corners, at);
    vec3 i = vertex(corner.x), j = vertex(corner.y);
    if (corner.z < 0.0) {
        float along = length(j - i);
        entry = vec4(along > 0.0 ? -time_step / along : 0.0, corner.y, 0.5 * along, 1.0);
    } else {
        vec2 both = angle(j, vertex(corner.w), i) + angle(i, vertex(corner.z), j);
        entry = vec4(-time_step * both.x, corner.y, share * both.y, 0.0);
    }
}
