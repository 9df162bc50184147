uniform Stream x;
DOMAIN here;
RANGE float result;

void main() {
    result = value2(x, here).x;
}
