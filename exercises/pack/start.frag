uniform Stream x;
uniform float n;
DOMAIN here;
RANGE vec4 result;

void main() {
    float t = floor(here.x);
    result = vec4(t < n ? value(x, t).x : 0.0);
}
