// Formula:   air + mixing sum of (deviation beside it - its own) + renewal (rest - air), the lowest row warmed; then d with q_v - d = q_vs(T + d L/c_p, p), d >= -q_c: (theta + d L/(c_p Pi), q_v - d, q_c + d)
// Inputs:    air (theta - theta_ground, q_v, q_c); rest (1 x rows: the first two at rest); column (1 x rows: Pi, p, Pi theta_ground in Celsius); ground (columns x 1: 0 to 1); given (K and kg/kg where that is 1); counts of cells; periodic (1 or 0 for each axis); mixing (K dt/h^2); renewal (dt/tau)
// Domain and range: all cells -> all cells; 10 fetches
// Edges:     nothing passes through ground, lid and walls; a periodic axis wraps around
// Reference: Harris et al., Simulation of Cloud Dynamics on Graphics Hardware, 2003, 2.2; Bolton 1980 (q_vs); Straka et al. 1993 (mixing by deviations)
uniform Stream air, rest, column, ground;
uniform vec2 given, counts, periodic;
uniform float mixing, renewal;
DOMAIN at;
RANGE vec4 settled;

const float HEAT = 2.501e6 / 1005.0; // L/c_p

// The air at rest in a row.
vec3 calmAt(float row) {
    return vec3(value2(rest, vec2(0.5, row)).xy, 0.0);
}

// The inflow from a cell beside: the negative of the outflow there, to the bit. No more than a quarter of its water leaves a cell
// on each of four sides.
vec3 passing(vec3 here, vec3 calm, vec3 calm_there, vec2 way) {
    vec3 there = value2(air, elementOf(floor(at) + way, counts, periodic) + 0.5).xyz;
    vec3 flow = mixing * ((there - calm_there) - (here - calm));
    return vec3(flow.x, clamp(flow.yz, -0.25 * here.yz, 0.25 * there.yz));
}

// (q_vs, dq_vs/dT) at that many degrees Celsius: 380.16/p exp(17.67 t/(t + 243.5)).
vec2 saturation(float celsius, float pressure) {
    float warmth = max(celsius, -150.0) + 243.5;
    float most = 380.16 / pressure * exp(17.67 * (warmth - 243.5) / warmth);
    return vec2(most, most * (17.67 * 243.5) / (warmth * warmth));
}

void main() {
    vec3 here = value2(air, at).xyz, calm = calmAt(at.y);
    vec3 below = calmAt(max(at.y - 1.0, 0.5)), above = calmAt(min(at.y + 1.0, counts.y - 0.5));
    vec3 mixed = here + ((passing(here, calm, calm, vec2(1.0, 0.0)) + passing(here, calm, calm, vec2(-1.0, 0.0)))
        + (passing(here, calm, above, vec2(0.0, 1.0)) + passing(here, calm, below, vec2(0.0, -1.0))));
    mixed = max(mixed, vec3(mixed.x, 0.0, 0.0)); // of water a rounding may have been too much
    mixed += renewal * (calm - mixed);
    mixed.xy += step(at.y, 1.0) * value2(ground, vec2(at.x, 0.5)).x * given;
    vec4 level = value2(column, vec2(0.5, at.y));
    float change = 0.0;
    for (int i = 0; i < 4; i++) {
        float celsius = level.z + level.x * mixed.x + HEAT * change;
        vec2 most = saturation(celsius, level.y);
        change += (mixed.y - change - most.x) / (1.0 + HEAT * most.y);
        change = clamp(change, -mixed.z, max(mixed.y, -mixed.z));
    }
    settled = vec4(mixed + change * vec3(HEAT / level.x, -1.0, 1.0), 0.0);
}
