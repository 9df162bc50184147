// The numbers that the cards of Table 31-1 store: mantissa chopped, too small is 0, too large the largest (no specials).
vec4 pug_chop(vec4 x, uint kept, float smallest, float largest) {
    vec4 chopped = uintBitsToFloat(floatBitsToUint(x) & uvec4(kept));
    chopped = mix(chopped, vec4(0.0), lessThan(abs(chopped), vec4(smallest)));
    return mix(clamp(chopped, -largest, largest), vec4(largest), isnan(x));
}
vec4 pug_round24(vec4 x) { return pug_chop(x, 0xffffff80u, 2.1684043e-19, 3.68932067e19); } // 2^-62, (2 - 2^-16) 2^64
vec3 pug_round24(vec3 x) { return pug_round24(vec4(x, 0.0)).xyz; }
vec2 pug_round24(vec2 x) { return pug_round24(vec4(x, 0.0, 0.0)).xy; }
float pug_round24(float x) { return pug_round24(vec4(x)).x; }
vec4 pug_round16(vec4 x) { return pug_chop(x, 0xffffe000u, 3.0517578e-5, 131008.0); } // 2^-15, (2 - 2^-10) 2^16
vec3 pug_round16(vec3 x) { return pug_round16(vec4(x, 0.0)).xyz; }
vec2 pug_round16(vec2 x) { return pug_round16(vec4(x, 0.0, 0.0)).xy; }
float pug_round16(float x) { return pug_round16(vec4(x)).x; }
