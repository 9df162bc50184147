// Formula:   u' = u + (share u + other w): u itself where both shares are of one and the same
// Inputs:    u, w, velocities; share, other
// Domain and range: all texels of a velocity; 2 fetches each
// Edges:     none
// Reference: Adams & Bashforth: the velocity half a step ahead is u + (u - w) / 2, w that of the step before
uniform Stream u, w;
uniform vec2 shares;
DOMAIN at;
RANGE vec2 next;

void main() {
    vec2 own = value2(u, at).xy;
    next = own + (shares.x * own + shares.y * value2(w, at).xy);
}
