uniform Stream image;
DOMAIN here;
RANGE float result;

void main() {
    result = value2(image, vec2(here.x, image.extent.y - here.y)).x;
}
