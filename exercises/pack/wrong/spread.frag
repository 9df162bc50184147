uniform Stream x;
uniform float n;
DOMAIN here;
RANGE vec4 result;

void main() {
    float t = floor(here.x), q = ceil(n / 4.0);
    vec4 index = t + q * vec4(0.0, 1.0, 2.0, 3.0);
    result = vec4(value(x, index.x).x, value(x, index.y).x, value(x, index.z).x, value(x, index.w).x);
    result = mix(vec4(0.0), result, lessThan(index, vec4(n)));
}
