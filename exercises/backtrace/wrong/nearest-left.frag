uniform Stream dye, velocity;
uniform float dt;
DOMAIN here;
RANGE float result;

void main() {
    vec2 from = here - dt * value2(velocity, here).xy - 0.5;
    result = value2(dye, floor(from) + 0.5).x;
}
