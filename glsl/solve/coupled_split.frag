// Formula:   y_k = V sum over c of row_k[c] r[c], for each of COUNT rows: combinations of the fields of r, packed 2x2
// Inputs:    r (a node a texel, a field a channel), volume (V, packed 2x2, 0 where a node takes no part), rows
// Domain and range: column + 1/2, row + 1/2 of the texel's first node; all texels of the vectors -> these
// Edges:     nodes that take no part, and padding, become 0, whatever r holds there
// Reference: Golub & Van Loan, Matrix Computations, 7.7 (Q' r of a generalised Schur form)
uniform Stream r, volume;
uniform vec4 row0;
#if COUNT > 1
uniform vec4 row1;
#endif
#if COUNT > 2
uniform vec4 row2;
#endif
#if COUNT > 3
uniform vec4 row3;
#endif
DOMAIN node;
DOMAIN at;
RANGE vec4 y0;
DECLARE_MORE

void main() {
    vec4 a = value2(r, node), b = valueOffset(r, node, ivec2(1, 0));
    vec4 c = valueOffset(r, node, ivec2(0, 1)), d = valueOffset(r, node, ivec2(1, 1));
    vec4 v = value2(volume, at);
    bvec4 inside = greaterThan(v, vec4(0.0));
#define COMBINED(row) mix(vec4(0.0), v * vec4(dot(row, a), dot(row, b), dot(row, c), dot(row, d)), inside)
    y0 = COMBINED(row0);
#if COUNT > 1
    y1 = COMBINED(row1);
#endif
#if COUNT > 2
    y2 = COMBINED(row2);
#endif
#if COUNT > 3
    y3 = COMBINED(row3);
#endif
}
