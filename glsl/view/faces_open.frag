// Formula:   open = 1 - sum h^2 a / (pi (h^2 + d^2)^2) over texels of area a that faces lie above, h high and d away: the part of the sky that they leave, by its form factors
// Inputs:    plan (SIDE x SIDE, how high the lowest face lies, -1 to 1 as its middle does; beyond 2 nothing), height (of the ground)
// Domain and range: the texels of the plan -> the part, 0 to 1
// Edges:     none
// Reference: Cohen & Wallace, Radiosity and Realistic Image Synthesis, 1993 (form factors of parallel patches)
uniform Stream plan;
uniform float height;
DOMAIN at;
RANGE float open;

void main() {
    float side = 2.0 / float(SIDE), hidden = 0.0;
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            vec2 texel = vec2(float(x), float(y)) + 0.5, away = side * (texel - at);
            float lowest = value2(plan, texel).x, up = max(lowest - height, 0.6 * side), far = up * up + dot(away, away);
            hidden += lowest < 2.0 ? up * up * side * side / (3.14159265 * far * far) : 0.0;
        }
    }
    open = 1.0 - min(hidden, 1.0);
}
