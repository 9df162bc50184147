uniform Stream c;
uniform float base;
DOMAIN here;
RANGE vec2 next;

void main() {
    vec2 old = value2(c, here).xy;
    next = vec2(min(old.x + 1.0, base), old.y);
}
