uniform Stream x;
uniform float n;
DOMAIN here;
RANGE float result;

void main() {
    int i = int(here.y) * int(x.extent.x) + int(here.x);
    int last = int(n) - 1;
    result = value(x, last - i).x;
}
