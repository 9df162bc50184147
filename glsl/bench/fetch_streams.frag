// Formula:   sum = the sum of all components of eight streams
// Inputs:    a to h, of any format
// Domain and range: the whole of each stream, one texel for one
// Edges:     none
// Reference: docs/inspector.md, "A plan for a card": what bounds a pass that brings much, each texel once, and writes little
uniform Stream a, b, c, d, e, f, g, h;
DOMAIN at;
RANGE float sum;

void main() {
    vec4 all = value2(a, at) + value2(b, at) + value2(c, at) + value2(d, at);
    all += value2(e, at) + value2(f, at) + value2(g, at) + value2(h, at);
    sum = all.x + all.y + all.z + all.w;
}
