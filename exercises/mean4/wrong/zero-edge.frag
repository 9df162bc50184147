uniform Stream image;
DOMAIN here;
RANGE float result;

void main() {
    float sum = 0.0;
    if (here.x > 1.0) sum += value2(image, here - vec2(1.0, 0.0)).x;
    if (here.x < image.extent.x - 1.0) sum += value2(image, here + vec2(1.0, 0.0)).x;
    if (here.y > 1.0) sum += value2(image, here - vec2(0.0, 1.0)).x;
    if (here.y < image.extent.y - 1.0) sum += value2(image, here + vec2(0.0, 1.0)).x;
    result = 0.25 * sum;
}
