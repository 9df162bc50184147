uniform Stream index, v;
DOMAIN here;
RANGE float result;

void main() {
    float j = value2(index, here).x;
    result = value2(v, vec2(j, 0.5)).x;
}
