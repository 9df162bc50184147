uniform Stream x;
DOMAIN here;
RANGE float result;

void main() {
    gl_FragColor = 2.0 * value2(x, here);
}
