uniform Stream p, m;
DOMAIN here;
RANGE vec2 pull;

void main() {
    vec2 own = value2(p, here).xy;
    vec2 sum = 0.0;
    for (float j = 0.5; j < p.extent.x; j += 1.0) {
        vec2 r = value2(p, vec2(j, 0.5)).xy - own;
        float far = dot(r, r);
        if (far > 0.0) sum += value2(m, vec2(j, 0.5)).x * r / (far * sqrt(far));
    }
    pull = sum;
}
