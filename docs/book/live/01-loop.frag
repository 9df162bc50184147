// result = a * x + y for every element: x is noise, y is rings. Change a, or add a term.
uniform Stream noise, image;
DOMAIN here;
RANGE float result;

void main() {
    float a = 0.25;
    result = a * value2(noise, here).x + value2(image, here).x;
}
