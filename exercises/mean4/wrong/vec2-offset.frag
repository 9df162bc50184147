uniform Stream image;
DOMAIN here;
RANGE float result;

void main() {
    result = valueOffset(image, here, vec2(1.0, 0.0)).x;
}
