uniform Stream x;
DOMAIN here;
RANGE float result;

void main() {
    result = 2 * value2(x, here).x;
}
