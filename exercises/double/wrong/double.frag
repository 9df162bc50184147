uniform Stream x;
DOMAIN here;
RANGE float result;

void main() {
    double v = value2(x, here).x;
    result = v;
}
