uniform Stream image;
DOMAIN here;
RANGE float result;

void main() {
    result = value2(image, vec2(5.0 - here.x, here.y)).x;
}
