uniform Stream r, p, rho_new, rho_old;
DOMAIN here;
RANGE float result;

void main() {
    float above = value0(rho_new).x, below = value0(rho_old).x;
    result = value2(r, here).x + above / below * value2(p, here).x;
}
