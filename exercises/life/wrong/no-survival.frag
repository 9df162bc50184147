uniform Stream cells;
DOMAIN here;
RANGE float next;

void main() {
    float cell = value2(cells, here).x;
    float n = 0.0;
    for (float y = -1.0; y <= 1.0; y += 1.0)
        for (float x = -1.0; x <= 1.0; x += 1.0)
            n += value2(cells, here + vec2(x, y)).x;
    n -= cell;
    next = float(n == 3.0);
}
