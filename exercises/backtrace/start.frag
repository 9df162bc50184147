uniform Stream dye, velocity;
uniform float dt;
DOMAIN here;
RANGE float result;

void main() {
    result = value2(dye, here - dt * value2(velocity, here).xy).x;
}
