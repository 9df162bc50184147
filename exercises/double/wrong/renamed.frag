uniform Stream y;
DOMAIN here;
RANGE float result;

void main() {
    result = 2.0 * value2(y, here).x;
}
