// Formula:   shown = (result, light, 0): heavy squares are stones with round corners, which lie in the waves of the values
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
    bool heavy = fract(0.5 * (square.x + square.y)) > 0.25;
    // How far within the rim of a stone, in texels.
    float half_side = 0.5 / squares, corner = 0.3 * half_side;
    vec2 middle = inside - half_side, rim = abs(middle) - half_side + 1.0 + corner;
    float within = corner - length(max(rim, 0.0)) - min(max(rim.x, rim.y), 0.0);
    float first = min(inside.x, inside.y);
    float light;
    if (heavy && within > 0.0) {
        // Light comes from the upper left, on a rim that is round and a top that is nearly flat.
        light = 1.0 + 0.10 * min(within * squares * 2.0, 1.0) - 0.18 * dot(inside, vec2(0.5)) * squares;
        light -= (1.0 - min(within * squares * 12.0, 1.0)) * dot(middle, vec2(0.5)) * squares;
    } else {
        vec2 slope = vec2(value2(values, at + vec2(1.0, 0.0)).x - value2(values, at - vec2(1.0, 0.0)).x,
                          value2(values, at + vec2(0.0, 1.0)).x - value2(values, at - vec2(0.0, 1.0)).x);
        light = clamp(0.95 + steepness * dot(slope, vec2(0.6, 0.8)), 0.6, 1.2);
        // The shadow of the stones above and to the left, and the gap around one.
        light *= heavy ? 0.5 : mix(0.55, 1.0, smoothstep(0.0, clamp(0.3 / squares, 1.0, 9.0), first));
    }
    light = squares > 0.3 ? 1.0 : light; // too small for either
    shown = vec4(value2(results, at).x, light, 0.0, 0.0);
}
