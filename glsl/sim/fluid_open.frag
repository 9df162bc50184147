// Formula:   x, y: of a face across x, y: 1 between two open cells, 1/2 beside a solid one, 0 between two; z: of a cell, 1 or 0; w: its room, how many cells all around are open, up to 5
// Inputs:    solids (1 in a solid, 0 elsewhere, at centres); counts of centres; periodic: 1 or 0 for each axis
// Domain and range: the texels of a velocity; STAGGERED 0: nodes, x, y and z are all 1 or 0
// Edges:     beyond the box as in the nearest cell; a periodic axis wraps around
// Reference: Foster & Metaxas, Realistic Animation of Liquids, 1996 (cells and their faces)
uniform Stream solids;
uniform vec2 counts, periodic;
DOMAIN at;
RANGE vec4 open;

float openAt(vec2 cell) {
    return 1.0 - step(0.5, value2(solids, elementOf(cell, counts, periodic) + 0.5).x);
}

const int ROOM = 5;

float roomAround(vec2 cell) {
    float room = float(ROOM);
    for (int j = -ROOM; j <= ROOM; ++j) {
        for (int i = -ROOM; i <= ROOM; ++i) {
            float far = float(max(abs(i), abs(j)));
            room = openAt(cell + vec2(float(i), float(j))) < 0.5 ? min(room, far - 1.0) : room;
        }
    }
    return room;
}

void main() {
    vec2 cell = floor(at);
    float here = openAt(cell);
#if STAGGERED
    float west = openAt(cell - vec2(1.0, 0.0)), south = openAt(cell - vec2(0.0, 1.0));
    open = vec4(0.5 * (west + here), 0.5 * (south + here), here, roomAround(cell));
#else
    open = vec4(here, here, here, roomAround(cell));
#endif
}
