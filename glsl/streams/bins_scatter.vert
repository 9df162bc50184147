// Formula:   one point for each pixel, on the element of its bin
// Inputs:    found (the bins of four pixels a texel), row (of the target)
// Domain and range: the counted points -> (bin, row)
// Edges:     bin -1 is no pixel and goes nowhere
// Reference: Harris, Mapping Computational Concepts to GPUs, 31.2.3 and the course slides (scatter by points)
uniform Stream found;
uniform float row;

void main() {
    float bin = valueFours(found, float(gl_VertexID));
    scatter(vec2(bin, row) + 0.5);
    if (bin < 0.0) {
        scatter_nowhere();
    }
}
