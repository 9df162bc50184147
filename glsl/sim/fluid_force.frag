// Formula:   f = heat buoyancy + confinement h (n x w), n = grad |w| / |grad |w||, at centres
// Inputs:    dye (heat in a), CONFINED: vorticity, grid (columns, rows, and the same where periodic, else 0), buoyancy, confinement (times the spacing)
// Domain and range: centres
// Edges:     those of central differences: one-sided at sides
// Reference: Fedkiw, Stam & Jensen 2001; Harris et al. 2003
uniform Stream dye;
#if CONFINED
uniform Stream vorticity;
uniform vec4 grid;
#endif
uniform vec2 buoyancy;
#if CONFINED
uniform float confinement;
#endif
DOMAIN at;
RANGE vec2 force;

#if CONFINED
float w(vec2 place) {
    place += grid.zw * (vec2(lessThan(place, vec2(0.0))) - vec2(greaterThanEqual(place, grid.xy)));
    return value2(vorticity, place + 0.5).x;
}
#endif

void main() {
    force = value2(dye, at).a * buoyancy;
#if CONFINED
    vec2 place = floor(at), right = vec2(1.0, 0.0), up = vec2(0.0, 1.0);
    vec2 slope = vec2(abs(w(place + right)) - abs(w(place - right)), abs(w(place + up)) - abs(w(place - up)));
    vec2 uphill = slope / max(length(slope), 1e-12);
    force += confinement * w(place) * vec2(uphill.y, -uphill.x);
#endif
}
