// Formula:   base + m_i y_i + sum a_ij (y_j - s_ij y_i) | s_i sum -a_ij (x_j - x_i) | scales | curvature | inverse (FORM 0 to 4), j over row i
// Inputs:    entries, slot by slot: scaled for FORM 0 (a_ij, address of j, s_ij, m_ij), else as computed; x (a vertex a texel), scales, base
// Domain and range: the slots' first plane -> the vertices of a rectangle
// Edges:     a row whose a_ii is 0 takes no part, and has s_i = 1; of a row, only entries of the system that is asked for are counted
// Reference: Bolz et al., Sparse Matrix Solvers on the GPU, 3.1.1 and 3.1.2
//
// a_ii = sum (m_ij - a_ij), s_i is the power of two next to 1 / sqrt(a_ii), and s_ij = s_i / s_j. Entries as computed are (a_ij,
// address of j, m_ij, of a curve). FORM 2 writes (s_i, s_i, s_i, a_ii), which FORM 1 reads as `scales`; FORM 3 writes x_i and
// |sum a_ij (x_j - x_i)| / sum m_ij times a scale; FORM 4 writes 1 / (s_i s_i a_ii) for each coordinate. Of rows longer than a
// pass the sum so far is a stream (BEGUN), and a pass that is not the last (ENDS 0) writes nothing but the sum.
uniform Stream entries;
#if FORM < 2 || FORM == 3
uniform Stream x;
#endif
#if FORM == 1 && ENDS
uniform Stream scales;
#endif
#if BASE != 0 && ENDS
uniform Stream base;
#endif
#if BEGUN
uniform Stream begun;
#endif
uniform vec4 planes; // width and height of a slot's plane, texel rows of those below each other, slots of this pass
#if FORM == 2 || FORM == 4 || FORM == 3 && ENDS
uniform float which; // FORM 2 and 4: 1 for the system of the curves, 0 for that of the surface; FORM 3: scale
#endif
DOMAIN plane;
DOMAIN at;
RANGE vec4 result;

#if FORM < 2 || FORM == 3
vec4 neighbour(float address) {
    float row = floor(address);
    return value2(x, vec2(4096.0 * (address - row), row) + 0.5);
}
#endif

#if (FORM == 2 || FORM == 4) && ENDS
// The power of two next to 1 / sqrt(a), by products of powers of two: exp2 need not be exact.
float scale(float a) {
    float exponent = floor(0.5 - 0.5 * log2(a)), left = abs(exponent), s = 1.0;
    float power = exponent < 0.0 ? 0.5 : 2.0;
    for (int bit = 0; bit < 6; ++bit) {
        float half_of_it = floor(0.5 * left);
        s *= left > 2.0 * half_of_it ? power : 1.0;
        left = half_of_it;
        power *= power;
    }
    return s;
}
#endif

void main() {
    vec2 slot = plane;
#if BEGUN
    vec4 sum = value2(begun, at);
#else
    vec4 sum = vec4(0.0);
#endif
#if FORM < 2 || FORM == 3
    vec4 own = value2(x, at);
#endif
#if SLOTS
    for (int s = 0; s < SLOTS; ++s) {
#else
    for (float s = 0.0; s < planes.w; s += 1.0) {
#endif
        vec4 entry = value2(entries, slot);
#if FORM == 0
        // Differences: what is constant costs the stiffest row no digit of its mass.
        sum += entry.x * (neighbour(entry.y) - entry.z * own) + entry.w * own;
#elif FORM == 1
        sum -= entry.x * (neighbour(entry.y) - own);
#elif FORM == 3
        sum += vec4(entry.x * (neighbour(entry.y) - own).xyz, entry.z);
#else
        sum.w += entry.w == which ? entry.z - entry.x : 0.0;
#endif
        slot.y += planes.y;
        slot += slot.y > planes.z ? vec2(planes.x, -planes.z) : vec2(0.0);
    }
#if !ENDS
    result = sum;
#elif FORM == 1
    vec4 scales_here = value2(scales, at);
    result = scales_here.w > 0.0 ? scales_here.x * sum : vec4(0.0);
#elif FORM == 2
    result = sum.w > 0.0 ? vec4(vec3(scale(sum.w)), sum.w) : vec4(1.0, 1.0, 1.0, 0.0);
#elif FORM == 3
    result = vec4(own.xyz, sum.w > 0.0 ? which * length(sum.xyz) / sum.w : 0.0);
#elif FORM == 4
    float s = sum.w > 0.0 ? scale(sum.w) : 0.0;
    result = sum.w > 0.0 ? vec4(vec3(1.0 / (s * s * sum.w)), 0.0) : vec4(0.0);
#else
    result = sum;
#if BASE == 1
    result += value2(base, at);
#elif BASE == -1
    result -= value2(base, at);
#endif
#endif
}
