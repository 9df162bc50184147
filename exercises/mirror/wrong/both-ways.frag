uniform Stream image;
DOMAIN here;
RANGE float result;

void main() {
    result = value2(image, image.extent.xy - here).x;
}
