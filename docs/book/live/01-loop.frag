// Each element fades from noise to rings. Change part, or let it depend on here.
uniform Stream noise, image;
DOMAIN here;
RANGE float result;

void main() {
    float part = 0.5;
    float a = value2(noise, here).x, b = value2(image, here).x;
    result = a + part * (b - a);
}
