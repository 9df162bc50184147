uniform Stream x;
DOMAIN here;
RANGE float result;

void mian() {
    result = 2.0 * value2(x, here).x;
}
