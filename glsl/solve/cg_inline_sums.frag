// Formula:   sums = (p.q, q.Mq, r.Mq, r.r) and of_p = p.r over the texels of a group, q = A p computed here
// Inputs:    p, r (packed 2x2), inverse (M) in the variant PRECONDITIONED, texels of the target, the diagonals of A or their numbers
// Domain and range: SIDE_X x SIDE_Y texels, the target's size apart -> one texel of each target
// Edges:     those of the product; texels beyond the vectors do not count
// Reference: Harris, Mapping Computational Concepts to GPUs, 31.3.7; the sums are those of cg_update.frag
uniform Stream p, r;
#if PRECONDITIONED
uniform Stream inverse;
#endif
uniform vec2 groups;
DECLARE_PRODUCT
DOMAIN at;
RANGE vec4 sums;
RANGE vec4 of_p;

void main() {
    vec4 total = vec4(0.0);
    float direction = 0.0;
    for (int row = 0; row < SIDE_Y; ++row) {
        vec4 sum = vec4(0.0);
        float along = 0.0;
        for (int column = 0; column < SIDE_X; ++column) {
            vec2 texel = at + vec2(float(column), float(row)) * groups;
            vec4 own, q = product(texel, own), residual = value2(r, texel);
#if PRECONDITIONED
            vec4 mq = value2(inverse, texel) * q;
#else
            vec4 mq = q;
#endif
            vec4 terms = vec4(dot(own, q), dot(q, mq), dot(residual, mq), dot(residual, residual));
            bool inside = texel.x < p.extent.x && texel.y < p.extent.y;
            sum += inside ? terms : vec4(0.0);
            along += inside ? dot(own, residual) : 0.0;
        }
        total += sum;
        direction += along;
    }
    sums = total;
    of_p = vec4(direction);
}
