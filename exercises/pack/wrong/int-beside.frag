uniform Stream x;
uniform float n;
DOMAIN here;
RANGE vec4 result;

void main() {
    float t = 4.0 * floor(here.x);
    for (int k = 0; k < 4; k++) result[k] = t + k < n ? value(x, t + k).x : 0.0;
}
