// Formula:   items(t) = keys 4 t to 4 t + 3; PAIRS: (key, value) 2 t and 2 t + 1
// Inputs:    keys, values (folded arrays of the same length), their length, padding
// Domain and range: the texels of the target -> the same
// Edges:     items past the last have `padding` for a key, and 0 for a value
// Reference: house
uniform Stream keys;
#if PAIRS
uniform Stream values;
#endif
uniform float length_of_keys, row_of_target, padding;
DOMAIN at;
RANGE vec4 items;

float key(float index) {
    return index < length_of_keys ? value(keys, index).x : padding;
}

#if PAIRS
vec2 item(float index) {
    return vec2(key(index), index < length_of_keys ? value(values, index).x : 0.0);
}
#endif

void main() {
    float texel = floor(at.y) * row_of_target + floor(at.x);
#if PAIRS
    items = vec4(item(2.0 * texel), item(2.0 * texel + 1.0));
#else
    float first = 4.0 * texel;
    items = vec4(key(first), key(first + 1.0), key(first + 2.0), key(first + 3.0));
#endif
}
