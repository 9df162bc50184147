// Waves in two targets of floats. The stream old_u is what RANGE u was one step ago; noise and image are streams as well.
uniform Stream old_u, old_v, noise;
uniform vec4 pen; // x, y, radius; w is 1 while it is down, -1 by the right button
DOMAIN at;
RANGE float u; // height
RANGE float v; // speed
void main() {
    float sum = valueOffset(old_u, at, ivec2(1, 0)).x + valueOffset(old_u, at, ivec2(-1, 0)).x
        + valueOffset(old_u, at, ivec2(0, 1)).x + valueOffset(old_u, at, ivec2(0, -1)).x;
    float stiff = 0.15 + 0.1 * value2(noise, at).x;
    vec2 away = (at - pen.xy) / max(pen.z, 1.0);
    v = 0.999 * value2(old_v, at).x + stiff * (sum - 4.0 * value2(old_u, at).x) + 0.2 * pen.w * exp(-dot(away, away));
    u = value2(old_u, at).x + v;
}
