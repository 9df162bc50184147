uniform Stream x;
uniform float hop;
DOMAIN here;
RANGE float result;

void main() {
    result = here.x > hop ? value2(x, here - vec2(hop, 0.0)).x : 0.0;
}
