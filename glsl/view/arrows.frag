// Formula:   an arrow in the middle of each square of the picture, along the velocity there, as long as its part of the largest
// Inputs:    velocity (two components) and where its first u and v lie, side of a square and of a pixel in spacings, most (|u|)
// Domain and range: place in spacings from the south-west corner -> the picture
// Edges:     all places asked for lie inside
// Reference: house
uniform Stream velocity;
uniform vec4 first_faces;
uniform float side, pixel, most;
DOMAIN place;
RANGE vec4 colour;

void main() {
    vec2 middle = (floor(place / side) + 0.5) * side, off = place - middle;
    vec2 u = vec2(value2(velocity, middle - first_faces.xy + 0.5).x, value2(velocity, middle - first_faces.zw + 0.5).y);
    float speed = length(u), reach = 0.45 * side * min(speed / most, 1.0);
    // A place that hardly moves has no arrow, nor has one without a number. Asked by name: on an NVIDIA H200 !(NaN > x) discards nothing.
    if (isnan(speed) || isinf(speed) || speed <= 0.03 * most) discard;
    vec2 along = u / speed;
    float a = dot(off, along), b = abs(dot(off, vec2(-along.y, along.x)));
    float head = min(0.3 * side, 2.0 * reach), behind = reach - a;
    float tip = max(max(-behind, behind - head), b - 0.4 * behind);
    float shaft = max(abs(a + 0.5 * head) - reach + 0.5 * head, b - 0.7 * pixel);
    float beyond = min(tip, shaft) / pixel;
    if (beyond > 1.0) discard;
    // White with a dark rim is seen on every colour.
    colour = vec4(vec3(1.0 - clamp(beyond + 0.5, 0.0, 1.0)), 1.0);
}
