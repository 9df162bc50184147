uniform Stream x;
DOMAIN here;
RANGE float result;

void main() {
    float i = floor(here.x);
    result = value2(x, vec2(2.0 * i, 0.0)).x + value2(x, vec2(2.0 * i + 1.0, 0.0)).x;
}
