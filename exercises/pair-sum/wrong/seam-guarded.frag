uniform Stream x;
DOMAIN here;
RANGE float result;

void main() {
    float at = 2.0 * here.x;
    float b = at + 1.0 < x.extent.x ? value2(x, vec2(at + 1.0, 0.5)).x : 0.0;
    result = value2(x, vec2(at, 0.5)).x + b;
}
