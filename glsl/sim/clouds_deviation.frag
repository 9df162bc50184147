// Formula:   air - rest
// Inputs:    air (theta - theta_ground, q_v, q_c); rest (1 x rows: the first two at rest)
// Domain and range: all cells -> all cells
// Edges:     none
// Reference: none
uniform Stream air, rest;
DOMAIN at;
RANGE vec4 deviation;

void main() {
    deviation = vec4((value2(air, at) - vec4(value2(rest, vec2(0.5, at.y)).xy, 0.0, 0.0)).xyz, 0.0);
}
