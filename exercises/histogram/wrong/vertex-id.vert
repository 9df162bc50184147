uniform Stream x;
uniform float bins;

void main() {
    float v = value(x, gl_VertexID).x;
    scatter(vec2(min(floor(bins * v), bins - 1.0), 0.5));
    if (v < 0.0 || v > 1.0) scatter_nowhere();
}
