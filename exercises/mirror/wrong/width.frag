uniform Stream image;
DOMAIN here;
RANGE float result;

void main() {
    result = value2(image, vec2(image.width - here.x, here.y)).x;
}
