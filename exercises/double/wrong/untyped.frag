uniform Stream x;
DOMAIN here;
RANGE float result;

void main() {
    twice = 2.0 * value2(x, here).x;
    result = twice;
}
