uniform Stream A, x;
DOMAIN here;
RANGE float result;

void main() {
    float sum = 0.0;
    for (int j = 0; j < x.extent.x; j++)
        sum += value2(A, vec2(float(j) + 0.5, here.y)).x * value2(x, vec2(float(j) + 0.5, 0.5)).x;
    result = sum;
}
