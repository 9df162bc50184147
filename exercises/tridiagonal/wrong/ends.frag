uniform Stream x;
DOMAIN here;
RANGE float result;

void main() {
    result = 2.0 * value2(x, here).x - value2(x, here - vec2(1.0, 0.0)).x
        - value2(x, here + vec2(1.0, 0.0)).x;
}
