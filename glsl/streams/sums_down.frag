// Formula:   sums(t) = running(t) + total of all texels before t; ELEMENT: sum(i) of element i - shift alone
// Inputs:    running (sums within each texel), totals (finished sums of their last components, four a texel), row, shift
// Domain and range: the texels of `running` -> the same; ELEMENT: the elements of the array -> the same
// Edges:     nothing comes before the first: 0
// Reference: Blelloch, Prefix Sums and Their Applications, 1990 (the down-sweep), with four elements a texel
uniform Stream running, totals;
uniform float row_of_target;
#if ELEMENT
uniform float shift; // 0: up to and with the element; 1: up to the one before it
#endif
DOMAIN at;
RANGE vec4 sums;

float total_before(float texel) {
    return texel > 0.0 ? valueFours(totals, texel - 1.0) : 0.0;
}

void main() {
    float index = floor(at.y) * row_of_target + floor(at.x);
#if ELEMENT
    index -= shift;
    sums = vec4(index < 0.0 ? 0.0 : valueFours(running, index) + total_before(floor(0.25 * index)));
#else
    sums = value2(running, at) + vec4(total_before(index));
#endif
}
