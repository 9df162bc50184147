// Formula:   y_i = a_ii x_i + sum over the entries c of row i's segment of entry(start_i + c) x(column(start_i + c))
// Inputs:    x, diagonal, starts (one element a texel, alike), entries and columns (segments, one entry a texel)
// Domain and range: all elements
// Edges:     a row of fewer than SLOTS entries is filled up with entries of 0
// Reference: Bolz et al., Sparse Matrix Solvers on the GPU, 3.1.1, Figures 1 and 2
//
// An address is row + column / 4096 of a texel; a segment lies within a row of its texture.
uniform Stream x, diagonal, starts, entries, columns;
DOMAIN at;
RANGE float y;

// Column + 1/2, row + 1/2.
vec2 place(float address) {
    float row = floor(address);
    return vec2(4096.0 * (address - row), row) + 0.5;
}

void main() {
    vec2 segment = place(value2(starts, at).x) * entries.extent.zw;
    float sum = value2(diagonal, at).x * value2(x, at).x;
    for (int c = 0; c < SLOTS; ++c) {
        vec2 here = segment + vec2(float(c) * entries.extent.z, 0.0);
        float factor = value2(x, place(textureLod(columns.texels, here, 0.0).x)).x;
        sum += textureLod(entries.texels, here, 0.0).x * factor;
    }
    y = sum;
}
