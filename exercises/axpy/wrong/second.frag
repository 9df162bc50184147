uniform Stream x, y;
uniform float a;
DOMAIN here;
RANGE float result;

void main() {
    result = a * value2(x, here).x + value2(y, here).y;
}
