// Formula:   miss = 1 where the column that frac(y) width finds is not the one that is meant, else 0
// Inputs:    width of the array, its first row here, texels further on
// Domain and range: a texel for each texel of some rows of the array
// Edges:     none
// Reference: Batty, Wiebe & Houston 2003, Appendix C.5: it "breaks down with very large textures"
uniform float width, first, further;
DOMAIN at;
RANGE float miss;

void main() {
    float column = floor(at.x), row = floor(at.y) + first;
    float skewed = row + at.x / width + further / width;
    float found = floor((skewed - floor(skewed)) * width);
    float meant = column + further;
    meant -= width * floor((meant + 0.5) / width);
    miss = found == meant ? 0.0 : 1.0;
}
