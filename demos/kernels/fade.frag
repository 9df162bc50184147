uniform Stream from, to;
uniform float part;
DOMAIN here;
RANGE float result;

void main() {
    float a = value2(from, here).x, b = value2(to, here).x;
    result = a + part * (b - a);
}
