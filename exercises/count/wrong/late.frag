uniform Stream c;
uniform float base;
DOMAIN here;
RANGE vec2 next;

void main() {
    vec2 old = value2(c, here).xy;
    float full = float(old.x >= base);
    next = vec2(mix(old.x + 1.0, 1.0, full), old.y + full);
}
