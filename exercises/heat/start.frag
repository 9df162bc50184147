uniform Stream u;
uniform float k;
DOMAIN here;
RANGE float next;

void main() {
    float own = value2(u, here).x;
    next = own + k * (value2(u, here + vec2(1.0, 0.0)).x - own);
}
