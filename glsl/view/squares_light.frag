// Formula:   shown = (result, light, 0): heavy squares are tiles with a bevel, which lie in the waves of the values
// Inputs:    results, values (the waves), squares (1 / side of a square in texels), steepness (of a wave, times what values differ by from texel to texel)
// Domain and range: the grid
// Edges:     clamp
// Reference: house
uniform Stream results, values;
uniform float squares, steepness;
DOMAIN at;
RANGE vec4 shown;

void main() {
    vec2 square = floor(at * squares), inside = at - square / squares; // texels from the upper left corner
    vec2 left = inside, right = 1.0 / squares - inside;
    bool heavy = fract(0.5 * (square.x + square.y)) > 0.25;
    float bevel = clamp(0.11 / squares, 0.5, 3.0);
    float first = min(left.x, left.y), last = min(right.x, right.y);
    float light;
    if (heavy) {
        // Light comes from the upper left.
        light = 0.96 - 0.12 * dot(inside, vec2(0.5)) * squares;
        light += first < bevel ? 0.10 : last < bevel ? -0.26 : 0.0;
    } else {
        vec2 slope = vec2(value2(values, at + vec2(1.0, 0.0)).x - value2(values, at - vec2(1.0, 0.0)).x,
                          value2(values, at + vec2(0.0, 1.0)).x - value2(values, at - vec2(0.0, 1.0)).x);
        light = clamp(0.95 + steepness * dot(slope, vec2(0.6, 0.8)), 0.6, 1.25);
        // The shadow of the tiles above and to the left.
        light *= mix(0.55, 1.0, smoothstep(0.0, clamp(0.3 / squares, 1.0, 9.0), first));
    }
    light = squares > 0.3 ? 1.0 : light; // too small for either
    shown = vec4(value2(results, at).x, light, 0.0, 0.0);
}
