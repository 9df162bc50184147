uniform Stream A, x;
DOMAIN here;
RANGE float result;

void main() {
    result = value2(A, vec2(0.5, here.y)).x * value2(x, vec2(0.5, 0.5)).x;
}
