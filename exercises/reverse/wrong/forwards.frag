uniform Stream x;
uniform float n;
DOMAIN here;
RANGE float result;

void main() {
    float i = floor(here.y) * x.extent.x + floor(here.x);
    result = value(x, min(i, n)).x;
}
