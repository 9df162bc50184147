// Formula:   count(b) = component of texel floor((b - first) / 4)
// Inputs:    groups (one row: the counts of four bins a texel), first (the first bin among them)
// Domain and range: the bins of these groups, in a row of the target -> the same
// Edges:     none
// Reference: house
uniform Stream groups;
uniform float first;
DOMAIN at;
RANGE float count;

void main() {
    count = valueFours(groups, floor(at.x) - first);
}
