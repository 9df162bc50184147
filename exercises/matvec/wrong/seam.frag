uniform Stream A, x;
DOMAIN here;
RANGE float result;

void main() {
    float sum = 0.0;
    for (float j = 0.0; j < x.extent.x; j += 1.0)
        sum += value2(A, vec2(j, here.y)).x * value2(x, vec2(j, 0.5)).x;
    result = sum;
}
