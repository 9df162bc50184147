uniform Stream fine;
DOMAIN here;
RANGE float result;

void main() {
    result = value2(fine, 2.0 * floor(here) + 0.5).x;
}
