// Formula:   grains brought nearer to 4, those of a cell that topples, by the light of the avalanche: h + 0.8 light (4 - h)
// Inputs:    sand (width x height), trace (topplings, touched, light)
// Domain and range: the table -> as many numbers
// Edges:     none
// Reference: Bak, Tang & Wiesenfeld, Self-organized criticality, 1987, figure 1: an avalanche as the cells that it has reached
uniform Stream sand, trace;
DOMAIN coords;
RANGE float shown;

void main() {
    float grains = min(value2(sand, coords).x, 4.0);
    shown = grains + 0.8 * value2(trace, coords).z * (4.0 - grains);
}
