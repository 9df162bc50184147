uniform Stream x;
DOMAIN here;
RANGE float result;

void main() {
    result = here;
}
