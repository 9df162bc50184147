// Formula:   m = u + mixing sum of (u beside it - its own); u' = m + renewal ((wind, 0) - m) + time_step f, f the mean of both centres beside a face
// Inputs:    velocity (u on west, v on south faces); push (f of cells); cells of the box; periodic (1 or 0 for each axis); time_step; mixing (K dt/h^2); renewal (dt/tau); wind
// Domain and range: all texels of a velocity; 8 fetches
// Edges:     air slips along ground, lid and walls; a periodic axis wraps around; what is held at them is for the projection
// Reference: Stam, Stable Fluids, 1999: the step of forces; Straka et al., Numerical Solutions of a Non-Linear Density Current, 1993 (mixing)
uniform Stream velocity, push;
uniform vec2 cells, periodic;
uniform float time_step, mixing, renewal, wind;
DOMAIN at;
RANGE vec2 next;

vec2 pushOf(vec2 cell) {
    return value2(push, elementOf(cell, cells, periodic) + 0.5).xy;
}

vec2 velocityAt(vec2 face) {
    return value2(velocity, elementOf(face, cells + 1.0 - periodic, periodic) + 0.5).xy;
}

void main() {
    vec2 face = floor(at), right = vec2(1.0, 0.0), up = vec2(0.0, 1.0);
    vec2 here = value2(velocity, at).xy;
    vec2 west = velocityAt(face - right), east = velocityAt(face + right);
    vec2 south = velocityAt(face - up), north = velocityAt(face + up);
    // There is no u above the uppermost row, and no v east of the last column unless that is the first one again.
    north.x = face.y + 1.5 > cells.y ? here.x : north.x;
    east.y = face.x + 1.5 > cells.x && periodic.x < 0.5 ? here.y : east.y;
    vec2 bent = ((east - here) + (west - here)) + ((north - here) + (south - here));
    vec2 acceleration = 0.5 * (pushOf(face) + vec2(pushOf(face - right).x, pushOf(face - up).y));
    vec2 mixed = here + mixing * bent;
    next = mixed + renewal * (vec2(wind, 0.0) - mixed) + time_step * acceleration;
}
