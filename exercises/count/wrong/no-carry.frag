uniform Stream c;
uniform float base;
DOMAIN here;
RANGE vec2 next;

void main() {
    vec2 old = value2(c, here).xy;
    float low = old.x + 1.0;
    next = vec2(low >= base ? 0.0 : low, old.y);
}
