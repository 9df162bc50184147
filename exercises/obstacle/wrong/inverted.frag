uniform Stream x, d, mask;
DOMAIN here;
RANGE float result;

void main() {
    float m = value2(mask, here).x;
    float v = value2(x, here).x, by = value2(d, here).x;
    result = m * v / (by + 1.0 - m);
}
