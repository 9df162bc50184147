// Formula:   (s_i s_j a_ij, address of j, s_i / s_j, s_i s_i m_ij)
// Inputs:    entries (a_ij, address of j, m_ij, of a curve), corners (their first is the address of i), scales (s, s, s, a_ii)
// Domain and range: all slots of all rows -> the same slots of the scaled matrix
// Edges:     entries of the other system are 0
// Reference: van der Sluis, Condition Numbers and Equilibration of Matrices, 1969
//
// Scales are powers of two: nothing is rounded.
uniform Stream entries, corners, scales;
uniform float which; // 1 for the system of the curves, 0 for that of the surface
DOMAIN at;
RANGE vec4 scaled;

float scale(float address) {
    float row = floor(address);
    return value2(scales, vec2(4096.0 * (address - row), row) + 0.5).x;
}

void main() {
    vec4 entry = value2(entries, at);
    float i = scale(value2(corners, at).x), j = scale(entry.y);
    scaled = entry.w == which ? vec4(i * j * entry.x, entry.y, i / j, i * i * entry.z) : vec4(0.0, entry.y, 0.0, 0.0);
}
