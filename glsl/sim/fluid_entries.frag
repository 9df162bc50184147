// Formula:   an entry of minus the Laplacian, times the square of the spacing: WAY 0 the diagonal, else minus the weight of the way to the west, east, south, north (1 to 4)
// Inputs:    links (weights of the ways to the west and the south in r and g), grid (columns, rows, and the same where periodic, else 0)
// Domain and range: all texels of the packed vector
// Edges:     an open side adds to the diagonal alone; padding becomes 0
// Reference: Bolz et al. 2003, 4.1 and 4.2: five of the nine textures
uniform Stream links;
uniform vec4 grid;
DOMAIN at;
RANGE vec4 entries;

vec2 to(vec2 place) {
    place += -grid.zw * vec2(greaterThanEqual(place, grid.xy));
    return value2(links, place + 0.5).xy;
}

float entry(vec2 place) {
    vec2 here = to(place);
#if WAY == 0
    float value = (here.x + to(place + vec2(1.0, 0.0)).x) + (here.y + to(place + vec2(0.0, 1.0)).y);
#elif WAY == 1
    float value = -here.x * step(0.5, place.x + grid.z);
#elif WAY == 2
    float value = -to(place + vec2(1.0, 0.0)).x * step(place.x + 1.5, grid.x + grid.z);
#elif WAY == 3
    float value = -here.y * step(0.5, place.y + grid.w);
#else
    float value = -to(place + vec2(0.0, 1.0)).y * step(place.y + 1.5, grid.y + grid.w);
#endif
    return all(lessThan(place, grid.xy)) ? value : 0.0;
}

void main() {
    vec2 first = 2.0 * floor(at);
    entries = vec4(
        entry(first), entry(first + vec2(1.0, 0.0)), entry(first + vec2(0.0, 1.0)), entry(first + vec2(1.0, 1.0)));
}
