uniform Stream image;
DOMAIN here;
RANGE float result;

void main() {
    float sum = 0.0;
    for (int d = -1; d <= 1; d += 2) sum += valueOffset(image, here, ivec2(d, 0)).x + valueOffset(image, here, ivec2(0, d)).x;
    result = 0.25 * sum;
}
