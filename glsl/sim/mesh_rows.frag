// Formula:   base + a_ii x_i + sum a_ij x_j | sum -a_ij (x_j - x_i) | sum (m_ij - a_ij) | curvature (FORM 0 to 3), j over row i
// Inputs:    entries (a_ij, address of j, m_ij, of a curve), slot by slot; x (a vertex a texel), diagonal, base
// Domain and range: the slots' first plane -> the vertices of a rectangle
// Edges:     a row whose a_ii is 0 takes no part; of a row, only entries of the system that is asked for are counted
// Reference: Bolz et al., Sparse Matrix Solvers on the GPU, 3.1.1 and 3.1.2
//
// FORM 2 writes (1/a_ii, 1/a_ii, 1/a_ii, a_ii): what divides three coordinates, and the entry itself. FORM 3 writes x_i and
// |sum a_ij (x_j - x_i)| / sum m_ij times a scale. Of rows longer than a pass the sum so far is a stream (BEGUN), and a pass
// that is not the last (ENDS 0) writes nothing but the sum.
uniform Stream entries;
#if FORM != 2
uniform Stream x;
#endif
#if FORM < 2 && ENDS
uniform Stream diagonal;
#endif
#if BASE != 0 && ENDS
uniform Stream base;
#endif
#if BEGUN
uniform Stream begun;
#endif
uniform vec4 planes; // width and height of a slot's plane, texel rows of those below each other, slots of this pass
#if FORM == 2 || FORM == 3 && ENDS
uniform float which; // FORM 2: 1 for the system of the curves, 0 for that of the surface; FORM 3: scale
#endif
DOMAIN plane;
DOMAIN at;
RANGE vec4 result;

#if FORM != 2
vec4 neighbour(float address) {
    float row = floor(address);
    return value2(x, vec2(4096.0 * (address - row), row) + 0.5);
}
#endif

void main() {
    vec2 slot = plane;
#if BEGUN
    vec4 sum = value2(begun, at);
#else
    vec4 sum = vec4(0.0);
#endif
#if FORM != 2
    vec4 own = value2(x, at);
#endif
#if SLOTS
    for (int s = 0; s < SLOTS; ++s) {
#else
    for (float s = 0.0; s < planes.w; s += 1.0) {
#endif
        vec4 entry = value2(entries, slot);
#if FORM == 0
        sum += entry.x * neighbour(entry.y);
#elif FORM == 1
        sum -= entry.x * (neighbour(entry.y) - own);
#elif FORM == 2
        sum.w += entry.w == which ? entry.z - entry.x : 0.0;
#else
        sum += vec4(entry.x * (neighbour(entry.y) - own).xyz, entry.z);
#endif
        slot.y += planes.y;
        slot += slot.y > planes.z ? vec2(planes.x, -planes.z) : vec2(0.0);
    }
#if !ENDS
    result = sum;
#elif FORM == 2
    result = sum.w > 0.0 ? vec4(vec3(1.0 / sum.w), sum.w) : vec4(0.0);
#elif FORM == 3
    result = vec4(own.xyz, sum.w > 0.0 ? which * length(sum.xyz) / sum.w : 0.0);
#else
    float a = value2(diagonal, at).w;
#if FORM == 0
    sum += a * own;
#endif
    result = a > 0.0 ? sum : vec4(0.0);
#if BASE == 1
    result += value2(base, at);
#elif BASE == -1
    result -= value2(base, at);
#endif
#endif
}
