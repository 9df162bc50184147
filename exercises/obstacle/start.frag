uniform Stream x, d, mask;
DOMAIN here;
RANGE float result;

void main() {
    float m = value2(mask, here).x;
    float v = value2(x, here).x, by = value2(d, here).x;
    if (m > 0.5) result = v;
    else result = v / by;
}
