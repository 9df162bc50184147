uniform Stream x;
uniform float hop;
DOMAIN here;
RANGE float result;

void main() {
    float before = here.x > hop ? value2(x, here - hop).x : 0.0;
    result = value2(x, here).x + before;
}
