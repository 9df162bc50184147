uniform Stream x;
DOMAIN here;
RANGE float result;

void main() {
    float i = floor(here.x);
    result = value(x, 2.0 * i).x + value(x, 2.0 * i + 1.0).x;
}
