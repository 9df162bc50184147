uniform Stream x;
uniform float hop;
DOMAIN here;
RANGE float result;

void main() {
    float after = here.x + hop < x.extent.x ? value2(x, here + vec2(hop, 0.0)).x : 0.0;
    result = value2(x, here).x + after;
}
