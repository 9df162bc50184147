uniform Stream u;
uniform float k;
DOMAIN here;
RANGE float next;

void main() {
    float own = value2(u, here).x;
    float around = value2(u, here + vec2(-1.0, 0.0)).x
        + value2(u, here + vec2(1.0, 0.0)).x
        + value2(u, here + vec2(0.0, -1.0)).x
        + value2(u, here + vec2(0.0, 1.0)).x;
    next = own + k * (0.25 * around - own);
}
