// Life. The left button makes cells alive, the right one makes them empty.
uniform Stream old_cell, noise;
uniform vec4 pen; // x, y, radius; w is 1 while it is down, -1 by the right button
uniform float now; // the step, from 1
DOMAIN here;
RANGE float cell;

float alive(vec2 at) {
    return step(0.5, value2(old_cell, at).x);
}

void main() {
    float n = 0.0;
    for (float y = -1.0; y <= 1.0; y += 1.0) {
        for (float x = -1.0; x <= 1.0; x += 1.0) {
            n += alive(here + vec2(x, y));
        }
    }
    float own = alive(here);
    n -= own;
    cell = float(n == 3.0 || (n == 2.0 && own == 1.0));
    if (now == 1.0) {
        cell = step(0.7, value2(noise, here).x);
    }
    if (pen.w != 0.0 && length(here - pen.xy) < pen.z) {
        cell = step(0.0, pen.w);
    }
}
