uniform Stream c;
uniform vec2 DuDv;
uniform float F, k;
DOMAIN here;
RANGE vec2 next;

void main() {
    vec2 center = value2(c, here).xy;
    vec2 around = valueOffset(c, here, ivec2(1, 0)).xy
        + valueOffset(c, here, ivec2(-1, 0)).xy
        + valueOffset(c, here, ivec2(0, 1)).xy
        + valueOffset(c, here, ivec2(0, -1)).xy;
    vec2 diffusion = 0.25 * DuDv * around;
    vec2 reaction = vec2(center.x * center.y * center.y);
    reaction.x -= 1.0;
    reaction.x += (1.0 - DuDv.x) * center.x + F * (1.0 - center.x);
    reaction.y += (1.0 - DuDv.y - F - k) * center.y;
    next = diffusion + reaction;
}
