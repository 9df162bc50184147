uniform Stream image;
DOMAIN here;
RANGE float result;

void main() {
    float sum = value2(image, here + vec2(-1.0, 0.0)).x
        + value2(image, here + vec2(1.0, 0.0)).x
        + value2(image, here + vec2(0.0, -1.0)).x
        + value2(image, here + vec2(0.0, 1.0)).x;
    result = 0.25 * sum;
}
