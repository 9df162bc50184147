uniform Stream x;
uniform float bins;

void main() {
    float v = value(x, float(gl_VertexID)).x;
    float bin = min(floor(bins * v), bins - 1.0);
    scatter(vec2(bin, 0.5));
    if (v < 0.0 || v > 1.0) scatter_nowhere();
}
