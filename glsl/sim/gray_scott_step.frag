// Formula:   u' = (1 - Du) u + Du mean4(u) - u v^2 + F (1 - u);  v' = (1 - Dv) v + Dv mean4(v) + u v^2 - (F + k) v
// Inputs:    concentration (width x height, RG = (u, v)), DuDv, F, k
// Domain and range: the grid, one step later
// Edges:     those of the stream: repeat (a torus) or clamp (no flux)
// Reference: Harris, Mapping Computational Concepts to GPUs, Listing 31-1, with `reaction.x *= -1` restored
uniform Stream concentration;
uniform vec2 DuDv;
uniform float F, k;
DOMAIN coords;
RANGE vec2 next;

void main() {
    vec2 center = value2(concentration, coords).xy;

    vec2 diffusion = valueOffset(concentration, coords, ivec2(1, 0)).xy;
    diffusion += valueOffset(concentration, coords, ivec2(-1, 0)).xy;
    diffusion += valueOffset(concentration, coords, ivec2(0, 1)).xy;
    diffusion += valueOffset(concentration, coords, ivec2(0, -1)).xy;
    diffusion *= 0.25 * DuDv; // average, and scale by the diffusion coefficients

    vec2 reaction = center.xx * center.yy * center.yy;
    reaction.x *= -1.0;
    reaction.x += (1.0 - DuDv.x) * center.x + F * (1.0 - center.x);
    reaction.y += (-F - k + (1.0 - DuDv.y)) * center.y;

    next = diffusion + reaction;
}
