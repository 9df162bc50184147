// Formula:   h' = h - a laplacian u, times the square of the spacing; 0 where u is held
// Inputs:    h and u, velocities; held; counts (columns and rows of u, of v), period (of each axis, 0 where not periodic), half_cells, grip and along as in fluid_viscous_right.frag, of both components: u along south and north, v along west and east; a
// Domain and range: all texels of a velocity; 12 fetches each
// Edges:     nothing beyond a side but its grip
// Reference: Crank & Nicolson, 1947: the part of viscosity that acts before the step
uniform Stream h, velocity, held;
uniform vec4 counts;
uniform vec2 period;
uniform vec4 half_cells, grip, along;
uniform float a;
DOMAIN at;
RANGE vec2 next;

// The terms that a way adds to u and v, through cells as wide as `wide`.
vec2 beside(vec2 place, vec2 own, float wide, vec2 grip_of, vec2 along_of) {
    place += period * (vec2(lessThan(place, vec2(0.0))) - vec2(greaterThanEqual(place, counts.xy)));
    vec4 fixed_values = value2(held, place + 0.5), places = place.xyxy;
    vec2 there = mix(value2(velocity, place + 0.5).xy, fixed_values.xy, greaterThan(fixed_values.zw, vec2(0.5)));
    vec4 inside = step(vec4(0.0), places) * vec4(lessThan(places, counts));
    vec2 is_inside = inside.xz * inside.yw;
    return mix(2.0 * grip_of * (along_of - own), wide * (there - own), is_inside);
}

void main() {
    vec2 place = floor(at), right = vec2(1.0, 0.0), up = vec2(0.0, 1.0), own = value2(velocity, at).xy;
    vec4 fixed_values = value2(held, at);
    vec2 first = vec2(equal(place, vec2(0.0))), last = vec2(equal(place, counts.xy - 1.0));
    vec2 wide = 1.0 / (1.0 - 0.5 * (first * half_cells.xz + last * half_cells.yw));
    vec2 laplacian = (beside(place - right, own, wide.x, vec2(0.0, grip.x), vec2(0.0, along.x))
            + beside(place + right, own, wide.x, vec2(0.0, grip.y), vec2(0.0, along.y)))
        + (beside(place - up, own, wide.y, vec2(grip.z, 0.0), vec2(along.z, 0.0))
            + beside(place + up, own, wide.y, vec2(grip.w, 0.0), vec2(along.w, 0.0)));
    next = mix(value2(h, at).xy - a * laplacian, vec2(0.0), greaterThan(fixed_values.zw, vec2(0.5)));
}
