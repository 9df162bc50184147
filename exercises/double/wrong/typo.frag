uniform Stream x;
DOMAIN here;
RANGE float result;

void main() {
    resul = 2.0 * value2(x, here).x;
}
