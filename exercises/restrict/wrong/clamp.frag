uniform Stream fine;
DOMAIN here;
RANGE float result;

void main() {
    vec2 at = 2.0 * floor(here) + 0.5;
    float sum = 0.0;
    for (float y = -1.0; y <= 1.0; y += 1.0)
        for (float x = -1.0; x <= 1.0; x += 1.0) {
            vec2 place = at + vec2(x, y);
            float weight = (1.0 - 0.5 * abs(x)) * (1.0 - 0.5 * abs(y)) * 0.25;
            sum += weight * value2(fine, place).x;
        }
    result = sum;
}
