// Formula:   PHASE 0: u = that of the wall where there is one; PHASE 1: u - (p - p_before) / theta where there is none
// Inputs:    velocity on the faces across AXIS, cells; PHASE 0: MOVING: velocity of walls; PHASE 1: p, SURFACE: distance, least depth; hop
// Domain and range: all texels of the box and the faces that end it
// Edges:     beyond the box is solid
// Reference: Batty, Wiebe & Houston 2003 (row D5); Gibou et al. 2002 for theta at a free surface
uniform Stream velocity, cells;
#if PHASE == 0 && MOVING
uniform Stream walls;
#elif PHASE == 1
uniform Stream p;
#if SURFACE
uniform Stream surface;
uniform float least;
#endif
#endif
#if AXIS == 2
uniform vec2 hop;
#endif
DOMAIN at;
RANGE vec4 next;

// The voxels before those of this texel along the axis.
vec4 before(Stream field, vec2 address, vec4 here) {
#if AXIS == 0
    return westOf(field, address, here);
#elif AXIS == 1
    return northOf(field, address, here);
#else
    return belowOf(field, address, hop);
#endif
}

#if PHASE == 1 && SURFACE
// Pressure ends at the surface, theta of the way from the fluid's centre to the air's.
vec4 steeper(vec4 kind, vec4 kind_before, vec4 phi, vec4 phi_before) {
    vec4 at_surface = step(0.5, abs(kind - kind_before));
    vec4 inside = min(phi, phi_before), outside = max(phi, phi_before), depth = min(inside, -least);
    vec4 crossed = at_surface * step(inside, vec4(-1e-30)) * step(1e-30, outside);
    return mix(vec4(1.0), 1.0 - outside / depth, crossed);
}
#endif

void main() {
    vec4 kind = value2(cells, at);
    vec4 kind_before = before(cells, addressOf(cells, at), kind);
    vec4 free = step(0.5, min(kind, kind_before));
    vec4 old = value2(velocity, at);
#if PHASE == 0
#if MOVING
    next = mix(value2(walls, at), old, free);
#else
    next = free * old;
#endif
#else
    vec4 pressure = value2(p, at);
    vec4 gradient = pressure - before(p, addressOf(p, at), pressure);
#if SURFACE
    vec4 phi = value2(surface, at);
    gradient *= steeper(kind, kind_before, phi, before(surface, addressOf(surface, at), phi));
#endif
    next = old - free * gradient;
#endif
}
