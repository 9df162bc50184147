// One array, folded into rows. In each step every element takes the value of the one before it: what leaves a row at the right
// enters the next one at the left. Paint, and see where it goes.
uniform Stream old_element, image;
uniform vec4 pen; // x, y, radius; w is 1 while it is down, -1 by the right button
uniform float now; // the step, from 1
DOMAIN here;
RANGE float element;

void main() {
    float width = old_element.extent.x;
    float n = width * old_element.extent.y;
    float index = floor(here.y) * width + floor(here.x);
    float before = index == 0.0 ? n - 1.0 : index - 1.0;
    float row = floor((before + 0.5) / width);
    element = value2(old_element, vec2(before - row * width, row) + 0.5).x;
    if (now == 1.0) {
        element = step(0.5, value2(image, here).x);
    }
    element += pen.w * step(length(here - pen.xy), pen.z);
}
