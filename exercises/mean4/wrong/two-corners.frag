uniform Stream image;
DOMAIN here;
RANGE float result;

void main() {
    result = 0.5 * (value2(image, here - 1.0).x + value2(image, here + 1.0).x);
}
