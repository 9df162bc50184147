uniform Stream index, v;
DOMAIN here;
RANGE float result;

void main() {
    int j = value2(index, here).x;
    result = value(v, j).x;
}
