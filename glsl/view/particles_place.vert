// Formula:   a point at (x, y) / box of the picture; its colour is that of |u| at the nearest texel, or of its number
// Inputs:    positions (x, y, age, number), folded; velocity, palette (256 x 1); cells of the box; to_node: 1/2 where velocities are at nodes, 0 at sides of cells; last texel that holds both components; fastest = |u| of its last colour; by_number; faint = the part of the light that is left
// Domain and range: gl_VertexID -> the texels around the point
// Edges:     what is nowhere, or not in the box, is not drawn
// Reference: Harris, Mapping Computational Concepts to GPUs, vertex texture fetch
uniform Stream positions, velocity, palette;
uniform vec2 box;         // its sides, lengths
uniform float points;     // texels along a side of a point: 1 or 2
uniform vec2 cells, last;
uniform float to_node;
uniform float fastest;
uniform float faint;
uniform float by_number;  // 1 / how many there are, or 0: by speed
out vec3 light;

void main() {
    vec4 particle = value(positions, float(gl_VertexID));
    vec2 part = particle.xy / box;
    float shade = fract(particle.w * by_number);
    if (by_number == 0.0) {
        vec2 texel = min(floor(clamp(part, 0.0, 1.0) * cells + to_node), last);
        shade = clamp(length(value2(velocity, texel + 0.5).xy) / fastest, 0.0, 1.0);
    }
    light = faint * value2(palette, vec2(floor(shade * 255.0 + 0.5) + 0.5, 0.5)).rgb;

    vec2 at = part * scatter_range;
    // A point of one texel sits at a texel's centre, one of two at a corner of four.
    vec2 middle = points < 1.5 ? min(floor(at), scatter_range - 1.0) + 0.5 : floor(at + 0.5);
    bool seen = all(greaterThanEqual(part, vec2(0.0))) && all(lessThanEqual(part, vec2(1.0)));
    gl_Position = seen ? vec4(middle * 2.0 / scatter_range - 1.0, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
    gl_PointSize = points;
}
