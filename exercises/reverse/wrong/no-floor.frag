uniform Stream x;
uniform float n;
DOMAIN here;
RANGE float result;

void main() {
    float i = here.y * x.extent.x + here.x;
    result = value(x, n - 1.0 - i).x;
}
