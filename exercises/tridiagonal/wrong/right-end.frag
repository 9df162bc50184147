uniform Stream x;
DOMAIN here;
RANGE float result;

void main() {
    float left = here.x > 1.0 ? value2(x, here - vec2(1.0, 0.0)).x : 0.0;
    result = 2.0 * value2(x, here).x - left
        - value2(x, here + vec2(1.0, 0.0)).x;
}
