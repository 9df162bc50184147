uniform Stream index, v;
DOMAIN here;
RANGE float result;

void main() {
    result = value(v, value2(index, here)).x;
}
