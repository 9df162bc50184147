uniform Stream x;
DOMAIN here;
RANGE float result;

void main() {
    result = value2(x, vec2(2.0 * here.x, 0.5)).x + value2(x, vec2(2.0 * here.x + 1.0, 0.5)).x;
}
