uniform Stream x;
DOMAIN here;
RANGE float result;

void main() {
    float left = 2.0 * floor(here.x);
    float a = value2(x, vec2(left + 0.5, 0.5)).x;
    result = min(a, value2(x, vec2(left + 1.5, 0.5)).x);
}
