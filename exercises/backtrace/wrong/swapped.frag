uniform Stream dye, velocity;
uniform float dt;
DOMAIN here;
RANGE float result;

void main() {
    vec2 from = here - dt * value2(velocity, here).xy - 0.5;
    vec2 cell = floor(from), f = 1.0 - (from - cell), a = cell + 0.5;
    float low = mix(value2(dye, a).x, value2(dye, a + vec2(1.0, 0.0)).x, f.x);
    float high = mix(value2(dye, a + vec2(0.0, 1.0)).x, value2(dye, a + vec2(1.0, 1.0)).x, f.x);
    result = mix(low, high, f.y);
}
