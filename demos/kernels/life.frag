// Formula:   next = 1 where n = 3, or where cell = 1 and n = 2; else 0; n counts the eight neighbours
// Inputs:    cells (width x height, 1 = alive, 0 = dead)
// Domain and range: the grid, one generation later
// Edges:     those of the stream
// Reference: Gardner, Scientific American 223, October 1970 (Conway's Life)
uniform Stream cells;
DOMAIN here;
RANGE float next;

float alive(vec2 at) {
    return step(0.5, value2(cells, at).x);
}

void main() {
    float n = 0.0;
    for (float y = -1.0; y <= 1.0; y += 1.0) {
        for (float x = -1.0; x <= 1.0; x += 1.0) {
            n += alive(here + vec2(x, y));
        }
    }
    float cell = alive(here);
    n -= cell;
    next = float(n == 3.0 || (n == 2.0 && cell == 1.0));
}
