uniform Stream x;
uniform float n;
DOMAIN here;
RANGE float result;

void main() {
    float i = floor(here.y) * n + floor(here.x);
    result = value(x, n - 1.0 - i).x;
}
