// Formula:   light on the floor = area of a beam at the surface / its area on the floor, as still water has 1; where beams cross, their sum
// Inputs:    what pool_light.vert hands over; ball (1 texel: middle, radius); sun; texel (world area of one of the map)
// Domain and range: the triangles of light -> x: without what the ball keeps off, y: all of it
// Edges:     none
// Reference: Evan Wallace, WebGL Water, 2011 (areas by derivatives)
uniform Stream ball;
uniform vec3 sun;
uniform float texel;
in vec2 before;
in vec3 met, beam;
RANGE vec2 light;

// How far a line passes the ball by, in its radii.
float past(vec4 middle, vec3 along) {
    return length(cross(middle.xyz - met, normalize(along))) / middle.w;
}

void main() {
    vec2 right = dFdx(before), up = dFdy(before);
    float part = min(abs(right.x * up.y - right.y * up.x) / texel, 40.0);
    vec4 middle = value2(ball, vec2(0.5));
    float open = middle.w > 0.0 ? smoothstep(0.9, 1.1, min(past(middle, beam), past(middle, sun))) : 1.0;
    light = vec2(part * open, part);
}
