// Formula:   least = the smallest of the 8 x 8 values around a place
// Inputs:    marks
// Domain and range: the middles of blocks of 8 x 8 texels -> a texel each
// Edges:     clamp
// Reference: Harris, Mapping Computational Concepts to GPUs, course slide 34 (the answer without an occlusion query)
uniform Stream marks;
DOMAIN middle;
RANGE float least;

void main() {
    least = value2(marks, middle).x;
    for (int y = 0; y < 8; y++) {
        for (int x = 0; x < 8; x++) least = min(least, value2(marks, middle + vec2(float(x) - 3.5, float(y) - 3.5)).x);
    }
}
