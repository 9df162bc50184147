// Formula:   fine = E, image - E (COMBINE 1) or image + E (COMBINE 2); E = coarse between its four nearest texels, linearly
// Inputs:    coarse, image (as large as the range; with COMBINE)
// Domain and range: all of `coarse` -> a texel more or less than twice its sides
// Edges:     clamp
// Reference: Harris, Mapping Computational Concepts to GPUs, 31.3.5; Burt & Adelson, The Laplacian Pyramid, 1983
uniform Stream coarse;
#if COMBINE
uniform Stream image;
#endif
DOMAIN from, at;
RANGE vec4 fine;

void main() {
    vec2 corner = floor(from - 0.5) + 0.5, part = from - corner;
    vec4 upper = mix(value2(coarse, corner), value2(coarse, corner + vec2(1.0, 0.0)), part.x);
    vec4 lower = mix(value2(coarse, corner + vec2(0.0, 1.0)), value2(coarse, corner + 1.0), part.x);
    vec4 expanded = mix(upper, lower, part.y);
#if COMBINE == 1
    fine = value2(image, at) - expanded;
#elif COMBINE == 2
    fine = value2(image, at) + expanded;
#else
    fine = expanded;
#endif
}
