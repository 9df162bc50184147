uniform Stream x;
uniform float n;
DOMAIN here;
RANGE vec4 result;

void main() {
    float t = 4.0 * floor(here.x);
    result = vec4(value(x, t).x, t + 1 < n ? value(x, t + 1).x : 0.0, 0.0, 0.0);
}
