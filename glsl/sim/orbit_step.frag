// Formula:   v+ = v + h/2 a(x), x' = x + h v+, v' = v+ + h/2 a(x'), a(x) = -x / (|x|^2 + e^2)^(3/2)
// Inputs:    planets (n x 1, (x, y, vx, vy); G and the mass of the sun at (0, 0) are 1), time_step = h, softening = e
// Domain and range: the planets, one step later
// Edges:     none
// Reference: leapfrog, as kick, drift, kick
uniform Stream planets;
uniform float time_step, softening;
DOMAIN at;
RANGE vec4 next;

vec2 pull(vec2 place) {
    float share = inversesqrt(dot(place, place) + softening * softening);
    return -place * (share * share * share);
}

void main() {
    vec4 planet = value2(planets, at);
    vec2 speed = planet.zw + 0.5 * time_step * pull(planet.xy);
    vec2 place = planet.xy + time_step * speed;
    next = vec4(place, speed + 0.5 * time_step * pull(place));
}
