// Formula:   (gust, B) + eps h (n x w), n = grad |w| / |grad |w||, B = g ((theta - theta_0)/theta_0 + 0.61 (q_v - q_v0) - q_c)
// Inputs:    vorticity w; air (theta - theta_ground, q_v, q_c); rest (1 x rows: the first two at rest); counts of cells; periodic (1 or 0 for each axis); confinement (eps h); theta (of the ground); gust (m/s^2)
// Domain and range: all cells, m/s^2; 7 fetches
// Edges:     the nearest cell; a periodic axis wraps around
// Reference: Harris et al., Simulation of Cloud Dynamics on Graphics Hardware, 2003, 2.1; Fedkiw, Stam & Jensen 2001
uniform Stream vorticity, air, rest;
uniform vec2 counts, periodic;
uniform float confinement, theta, gust;
DOMAIN at;
RANGE vec2 push;

const float GRAVITY = 9.81, LIGHTER = 0.61;

float turning(vec2 cell) {
    return abs(value2(vorticity, elementOf(cell, counts, periodic) + 0.5).x);
}

void main() {
    vec2 here = floor(at), right = vec2(1.0, 0.0), up = vec2(0.0, 1.0);
    vec4 now = value2(air, at), calm = value2(rest, vec2(0.5, at.y));
    float warmer = (now.x - calm.x) / (theta + calm.x);
    float buoyancy = GRAVITY * (warmer + LIGHTER * (now.y - calm.y) - now.z);
    vec2 slope = vec2(turning(here + right) - turning(here - right), turning(here + up) - turning(here - up));
    float around = confinement * value2(vorticity, at).x / max(length(slope), 1e-12);
    push = vec2(gust + around * slope.y, buoyancy - around * slope.x);
}
