// Formula:   (v, -v), v = dot(channels, element), or |(x, y)| of an element with LENGTH; the least of all where v is not finite
// Inputs:    field (any components), channels
// Domain and range: the field -> as many elements of two components
// Edges:     clamp
// Reference: house
uniform Stream field;
#if !LENGTH
uniform vec4 channels;
#endif
DOMAIN coords;
RANGE vec2 both;

const float LEAST = -3e38;

void main() {
    vec4 element = value2(field, coords);
#if LENGTH
    float number = length(element.xy);
#else
    float number = dot(channels, mix(vec4(0.0), element, notEqual(channels, vec4(0.0))));
#endif
    bool finite = abs(number) <= -LEAST;
    both = finite ? vec2(number, -number) : vec2(LEAST);
}
