uniform Stream x;
DOMAIN here;
RANGE float result;

void main() {
    float twice = 2.0 * value2(x, here).x;
    result = 2.0;
}
