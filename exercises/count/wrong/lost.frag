uniform Stream c;
uniform float base;
DOMAIN here;
RANGE vec2 next;

void main() {
    vec2 old = value2(c, here).xy;
    float full = float(old.x + 1.0 > base);
    next = vec2(full > 0.5 ? 0.0 : old.x + 1.0, old.y + full);
}
