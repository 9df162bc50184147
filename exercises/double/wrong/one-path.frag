uniform Stream x;
DOMAIN here;
RANGE float result;

void main() {
    if (value2(x, here).x > 0.0) result = 1.0;
}
