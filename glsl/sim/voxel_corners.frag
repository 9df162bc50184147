// Formula:   c(i, j, k) = values at (i, j, k), (i + 1, j, k), (i, j + 1, k), (i + 1, j + 1, k)
// Inputs:    field (voxels, or faces across an axis); tiles; last column and row of it
// Domain and range: all elements of the field -> a texel each
// Edges:     behind the last column or row comes the last again
// Reference: house: so that what lies among eight voxels is two fetches, and not eight
uniform Stream field;
uniform vec3 tiles;
uniform vec2 last;
DOMAIN at;
RANGE vec4 corners;

void main() {
    vec2 sides = 2.0 * tiles.xy, place = floor(at); // interpolated, it is a hair beside n + 1/2
    vec2 own = place - floor(at / sides) * sides;
    vec2 next = place + step(own + 0.5, last);
    corners = vec4(
        valuePacked(field, place), valuePacked(field, vec2(next.x, place.y)),
        valuePacked(field, vec2(place.x, next.y)), valuePacked(field, next));
}
