// Each texel writes the place of its centre, rounded to a 1024th: the last digits of a domain are the rasterizer's own.
DOMAIN here;
RANGE vec2 place;

void main() {
    place = floor(here * 1024.0 + 0.5) / 1024.0;
}
