// Formula:   miss = how far the element read here, and its right and upper neighbours, are from their index
// Inputs:    index (n x 1 or 1 x n, R = 0, 1, 2, ...)
// Domain and range: the whole texture, one component
// Edges:     repeat
// Reference: house rule on addressing, checked once for each driver
uniform Stream index;
DOMAIN coords;
RANGE vec4 miss;

void main() {
    float last = max(index.extent.x, index.extent.y) - 1.0;
    float here = floor(max(coords.x, coords.y));
    float next = here == last ? 0.0 : here + 1.0;
    ivec2 step = index.extent.x > index.extent.y ? ivec2(1, 0) : ivec2(0, 1);
    float neighbour = step.x == 1 ? valueOffset(index, coords, ivec2(1, 0)).x : valueOffset(index, coords, ivec2(0, 1)).x;
    float multiplied = value2(index, (coords)).x; // in parentheses it is not lifted
    miss = vec4(abs(value2(index, coords).x - here) + abs(multiplied - here) + abs(neighbour - next));
}
