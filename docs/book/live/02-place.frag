// The mirror. Paint at the left, and see it at the right.
uniform Stream old_ink, image;
uniform vec4 pen; // x, y, radius; w is 1 while it is down, -1 by the right button
DOMAIN here;
RANGE float ink;
RANGE float result;

void main() {
    vec2 there = vec2(image.extent.x - here.x, here.y);
    ink = value2(old_ink, here).x + 0.2 * pen.w * step(length(here - pen.xy), pen.z);
    result = value2(image, there).y - 0.5 + value2(old_ink, there).x;
}
