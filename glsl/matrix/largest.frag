// Formula:   result = (largest |a| of the texel's four, its row, its column, 0); magnitudes that are no numbers are -1
// Inputs:    a (4x1 columns), rows (those that hold elements)
// Domain and range: all texels of the matrix: (column, block of rows)
// Edges:     rows past the last are -1
// Reference: BLAS level 1 (iamax)
uniform Stream a;
uniform float rows;
DOMAIN at;
DOMAIN texel;
RANGE vec4 result;

void main() {
    vec4 row = 4.0 * floor(texel.y) + vec4(0.0, 1.0, 2.0, 3.0), size = abs(value2(a, at));
    size = mix(vec4(-1.0), size, lessThan(row, vec4(rows)));
    vec2 best = vec2(-1.0, row.x);
    best = size.x > best.x ? vec2(size.x, row.x) : best;
    best = size.y > best.x ? vec2(size.y, row.y) : best;
    best = size.z > best.x ? vec2(size.z, row.z) : best;
    best = size.w > best.x ? vec2(size.w, row.w) : best;
    result = vec4(best, floor(texel.x), 0.0);
}
