// Formula:   held = (u, v, is u held, is v held): what sides hold, and 0 at solids
// Inputs:    sides (the same of the sides alone, at nodes), solids (1 in a solid, at centres), grid (columns, rows of the centres, and the same where periodic, else 0)
// Domain and range: all texels of a velocity
// Edges:     beyond a side is what is nearest
// Reference: Harris, Fast Fluid Dynamics Simulation on the GPU, GPU Gems ch. 38: arbitrary boundaries
uniform Stream sides, solids;
uniform vec4 grid;
DOMAIN at;
RANGE vec4 held;

float solid(vec2 place) {
    place += grid.zw * (vec2(lessThan(place, vec2(0.0))) - vec2(greaterThanEqual(place, grid.xy)));
    return step(0.5, value2(solids, clamp(place, vec2(0.0), grid.xy - 1.0) + 0.5).x);
}

void main() {
    vec2 place = floor(at);
#if !STAGGERED
    vec2 stopped = vec2(solid(place));
#else
    vec2 stopped = max(vec2(solid(place)), vec2(solid(place - vec2(1.0, 0.0)), solid(place - vec2(0.0, 1.0))));
#endif
    held = mix(value2(sides, at), vec4(0.0, 0.0, 1.0, 1.0), stopped.xyxy);
}
