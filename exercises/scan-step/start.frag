uniform Stream x;
uniform float hop;
DOMAIN here;
RANGE float result;

void main() {
    result = value2(x, here - vec2(hop, 0.0)).x;
}
