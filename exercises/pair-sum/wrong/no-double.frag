uniform Stream x;
DOMAIN here;
RANGE float result;

void main() {
    result = value2(x, here).x + value2(x, here + vec2(1.0, 0.0)).x;
}
