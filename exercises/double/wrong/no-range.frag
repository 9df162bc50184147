uniform Stream x;
DOMAIN here;

void main() {
    float v = 2.0 * value2(x, here).x;
}
