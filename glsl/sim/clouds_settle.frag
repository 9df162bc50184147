// Formula:   d with q_v - d = q_vs(T + d L/c_p, p), d >= -q_c: (theta + d L/(c_p Pi), q_v - d, q_c + d), the lowest row warmed before
// Inputs:    air (theta - theta_ground, q_v, q_c); column (1 x rows: Pi, p, Pi theta_ground in Celsius); ground (columns x 1: 0 to 1); given (K and kg/kg where that is 1)
// Domain and range: all cells -> all cells
// Edges:     none
// Reference: Harris et al., Simulation of Cloud Dynamics on Graphics Hardware, 2003, 2.2; Bolton 1980 (q_vs)
uniform Stream air, column, ground;
uniform vec2 given;
DOMAIN at;
RANGE vec4 settled;

const float HEAT = 2.501e6 / 1005.0; // L/c_p

// (q_vs, dq_vs/dT) at that many degrees Celsius: 380.16/p exp(17.67 t/(t + 243.5)).
vec2 saturation(float celsius, float pressure) {
    float warmth = max(celsius, -150.0) + 243.5;
    float most = 380.16 / pressure * exp(17.67 * (warmth - 243.5) / warmth);
    return vec2(most, most * (17.67 * 243.5) / (warmth * warmth));
}

void main() {
    vec4 here = value2(air, at);
    vec4 level = value2(column, vec2(0.5, at.y));
    here.xy += step(at.y, 1.0) * value2(ground, vec2(at.x, 0.5)).x * given;
    float change = 0.0;
    for (int i = 0; i < 4; i++) {
        float celsius = level.z + level.x * here.x + HEAT * change;
        vec2 most = saturation(celsius, level.y);
        change += (here.y - change - most.x) / (1.0 + HEAT * most.y);
        change = clamp(change, -here.z, max(here.y, -here.z));
    }
    settled = here + change * vec4(HEAT / level.x, -1.0, 1.0, 0.0);
}
