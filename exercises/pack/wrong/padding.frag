uniform Stream x;
uniform float n;
DOMAIN here;
RANGE vec4 result;

void main() {
    float i = 4.0 * floor(here.x);
    result = vec4(value(x, min(i, n - 1.0)).x, value(x, min(i + 1.0, n - 1.0)).x,
        value(x, min(i + 2.0, n - 1.0)).x, value(x, min(i + 3.0, n - 1.0)).x);
}
