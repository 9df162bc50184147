// Formula:   result = base + sum of COUNT parts
// Inputs:    parts (the parts of a texel of the result beside each other, or below each other if TRANSPOSED), base (packed 2x2)
// Domain and range: the texels of the result that the parts stand for
// Edges:     none
// Reference: the second stage of dense.frag
uniform Stream parts;
#if BASE != 0
uniform Stream base;
#endif
uniform float width; // texels in a row of the result
DOMAIN at;
DOMAIN of_result;
RANGE vec4 result;

void main() {
    float own = floor(at.y) * width + floor(at.x);
    vec4 sum = vec4(0.0);
    for (int part = 0; part < COUNT; ++part) {
#if TRANSPOSED
        sum += value2(parts, vec2(own, float(part)) + 0.5);
#else
        sum += value2(parts, vec2(float(part), own) + 0.5);
#endif
    }
#if BASE == 1
    sum += value2(base, of_result);
#elif BASE == -1
    sum -= value2(base, of_result);
#endif
    result = sum;
}
