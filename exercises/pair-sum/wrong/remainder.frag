uniform Stream x;
DOMAIN here;
RANGE float result;

void main() {
    float odd = here.x % 2.0;
    result = value2(x, here).x + odd;
}
