uniform Stream x;
DOMAIN here;
RANGE float result;

void main() {
    float v = value2(x, here).x;
    result = v * v;
}
