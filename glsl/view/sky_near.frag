// Formula:   1 where a large head is one of the nine around the element, or a middling one of those that lie in it or next to it; else 0
// Inputs:    large, middling (heads: sky_heads.frag); of_large, of_middling (elements across and up); periodic (1 or 0 for each axis)
// Domain and range: all elements of the lattice of large heads
// Edges:     the nearest element; a periodic axis wraps around
// Reference: none
uniform Stream large, middling;
uniform vec2 of_large, of_middling, periodic;
DOMAIN at;
RANGE float cloudy;

// Middling heads along a side of an element, with a neighbour at each end: the library's sides ask for 5.
const int ALONG = 6;

void main() {
    vec2 element = floor(at), low = floor(element * of_middling / of_large) - 1.0;
    vec2 high = floor((element + 1.0) * of_middling / of_large) + 1.0;
    float radius = 0.0;
    for (int j = -1; j <= 1; j++) {
        for (int i = -1; i <= 1; i++) {
            radius = max(radius, value2(large, elementOf(element + vec2(float(i), float(j)), of_large, periodic) + 0.5).z);
        }
    }
    for (int j = 0; j < ALONG; j++) {
        for (int i = 0; i < ALONG; i++) {
            vec2 one = min(low + vec2(float(i), float(j)), high);
            radius = max(radius, value2(middling, elementOf(one, of_middling, periodic) + 0.5).z);
        }
    }
    cloudy = step(1e-6, radius);
}
