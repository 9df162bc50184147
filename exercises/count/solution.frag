uniform Stream c;
uniform float base;
DOMAIN here;
RANGE vec2 next;

void main() {
    vec2 old = value2(c, here).xy;
    float low = old.x + 1.0;
    float full = float(low >= base);
    next = vec2(low - full * base, old.y + full);
}
