// Formula:   p = z + b p, with b = -z.q / p.q
// Inputs:    z = M r, p (packed 2x2), z.q (1x1), history
// Domain and range: all texels of the vectors
// Edges:     none
// Reference: Hestenes & Stiefel 1952, section 3: the new p is conjugate to the old one, whatever M is
uniform Stream z, p, zq, history;
DOMAIN at;
DOMAIN now;
RANGE vec4 next_p;

void main() {
    float pq = value2(history, now).x;
    float b = pq > 0.0 ? -value0(zq).x / pq : 0.0;
    next_p = value2(z, at) + b * value2(p, at);
}
