uniform Stream A, x;
DOMAIN here;
RANGE float result;

void main() {
    result = value2(A, here).x * value2(x, here).x;
}
