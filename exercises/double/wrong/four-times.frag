uniform Stream x;
DOMAIN here;
RANGE float result;

void main() {
    result = 4.0 * value2(x, here).x;
}
