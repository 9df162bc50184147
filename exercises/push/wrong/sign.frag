uniform Stream x, b, q, d;
uniform float omega;
DOMAIN here;
RANGE float next;

void main() {
    float v = value2(x, here).x;
    float change = (value2(b, here).x - value2(q, here).x) / value2(d, here).x;
    next = max(v - omega * change, 0.0);
}
