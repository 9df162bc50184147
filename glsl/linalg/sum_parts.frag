// Formula:   result = base + sum of the parts
// Inputs:    parts (packed vectors, one below the other), base (packed 2x2)
// Domain and range: the texels of a part -> those of the result that they stand for
// Edges:     none
// Reference: the second stage of dense.frag
uniform Stream parts;
#if BASE != 0
uniform Stream base;
#endif
uniform float height, count; // texel rows of a part, and parts
DOMAIN at;
DOMAIN of_result;
RANGE vec4 result;

void main() {
    vec4 sum = vec4(0.0);
    for (float part = 0.0; part < count; part += 1.0) {
        sum += value2(parts, at + vec2(0.0, part * height));
    }
#if BASE == 1
    sum += value2(base, of_result);
#elif BASE == -1
    sum -= value2(base, of_result);
#endif
    result = sum;
}
