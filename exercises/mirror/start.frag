uniform Stream image;
DOMAIN here;
RANGE float result;

void main() {
    result = value2(image, here).x;
}
