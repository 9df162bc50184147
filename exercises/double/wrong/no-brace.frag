uniform Stream x;
DOMAIN here;
RANGE float result;

void main()
    result = 2.0 * value2(x, here).x;
}
