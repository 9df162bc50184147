uniform Stream fine;
DOMAIN here;
RANGE float result;

void main() {
    vec2 at = 2.0 * floor(here) + 0.5;
    float sum = 0.0;
    for (float y = -1.0; y <= 1.0; y += 1.0)
        for (float x = -1.0; x <= 1.0; x += 1.0) {
            vec2 place = at + vec2(x, y);
            float weight = 1.0 / 9.0;
            bool inside = place.x > 0.0 && place.y > 0.0 && place.x < fine.extent.x && place.y < fine.extent.y;
            if (inside) sum += weight * value2(fine, place).x;
        }
    result = sum;
}
