// Formula:   a_ij = -t (cot of the angle opposite to ij, summed over two faces), m_ij = share (twice their areas)
// Inputs:    positions (a vertex a texel), corners = addresses of i, j, and of the third corner of each of the two faces
// Domain and range: all slots of all rows -> (a_ij, address of j, m_ij, whether the edge is one of a curve)
// Edges:     one face alone has -1 for the second corner, a curve has -1 for both; a slot without an entry has i for all four: 0
// Reference: Bolz et al., Sparse Matrix Solvers on the GPU, 3.1.2; src/sim/geometric_flow/mod.rs on slivers
//
// On a curve a_ij = -t / |j - i| and m_ij = |j - i| / 2. The sum of m_ij over a row is 4 A_i times the share: each triangle at i
// lies beside two of its edges.
uniform Stream positions, corners;
uniform float time_step, share, thinnest;
DOMAIN at;
RANGE vec4 entry;

// The address of a place is row + column / 4096.
vec4 vertex(float address) {
    float row = floor(address);
    return vec4(value2(positions, vec2(4096.0 * (address - row), row) + 0.5).xyz, address);
}

// The cotangent of the triangle's angle at k, and twice its area: those of a thicker triangle if it is a sliver.
//
// All three edges of a triangle have to find the same area to the bit, or what they find is the matrix of no triangle. So the
// corners are brought into the order of their addresses first. The area is that between the two shorter sides: of all three
// products it has the least rounding.
vec2 opposite(vec4 i, vec4 j, vec4 k) {
    vec4 low = i, middle = j, high = k, other;
    if (low.w > middle.w) { other = low; low = middle; middle = other; }
    if (middle.w > high.w) { other = middle; middle = high; high = other; }
    if (low.w > middle.w) { other = low; low = middle; middle = other; }
    vec3 u = middle.xyz - low.xyz, v = high.xyz - low.xyz, w = high.xyz - middle.xyz;
    vec3 squares = vec3(dot(u, u), dot(v, v), dot(w, w));
    float sum = 0.5 * (squares.x + squares.y + squares.z);
    // Shorter than 1e-15 of the mesh: a point.
    if (sum < 1e-30) {
        return vec2(0.0);
    }
    vec3 one = squares.x >= max(squares.y, squares.z) ? v : u;
    vec3 two = squares.z > squares.x && squares.z >= squares.y ? v : w;
    float doubled = length(cross(one, two));
    float product = k.w == low.w ? dot(u, v) : k.w == middle.w ? -dot(u, w) : dot(v, w);
    float least = sum / thinnest;
    if (doubled < least) {
        product += 0.5 * (least - doubled) * ((least + doubled) / sum);
        doubled = least;
    }
    return vec2(product / doubled, doubled);
}

void main() {
    vec4 corner = value2(corners, at);
    vec4 i = vertex(corner.x), j = vertex(corner.y);
    if (corner.z < 0.0) {
        float along = length(j.xyz - i.xyz);
        entry = vec4(along > 0.0 ? -time_step / along : 0.0, corner.y, 0.5 * along, 1.0);
    } else {
        vec2 both = opposite(i, j, vertex(corner.z));
        if (corner.w >= 0.0) {
            both += opposite(i, j, vertex(corner.w));
        }
        entry = vec4(-time_step * both.x, corner.y, share * both.y, 0.0);
    }
}
