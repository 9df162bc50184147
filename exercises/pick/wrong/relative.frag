uniform Stream index, v;
DOMAIN here;
RANGE float result;

void main() {
    float j = value2(index, here).x;
    result = value2(v, here + vec2(j, 0.0)).x;
}
