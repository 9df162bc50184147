uniform Stream x;
DOMAIN here;
RANGE float result;

void main() {
    here.x += 1.0;
    result = 2.0 * value2(x, here).x;
}
