// Formula:   START 0: b = u times its part of a cell + a (what is held next to it); START 1: u itself, where the iteration begins; 0 where u is held
// Inputs:    velocity, held, grid, half_cells, grip and a as in fluid_viscous_entries.frag; along (west, east, south, north: what the side moves along itself by)
// Domain and range: all texels of the packed vector; START 0: 24 fetches, START 1: 8
// Edges:     nothing beyond a side but its grip; padding becomes 0
// Reference: Bolz et al. 2003, 4.1, eq. 2
uniform Stream velocity, held;
uniform vec4 grid;
#if START == 0
uniform vec4 half_cells, grip, along;
uniform float a;
#endif
DOMAIN at;
RANGE vec4 right_side;

bool inside(vec2 place) {
    return all(greaterThanEqual(place, vec2(0.0))) && all(lessThan(place, grid.xy));
}

float component(vec2 both) {
    return COMPONENT == 0 ? both.x : both.y;
}

#if START == 0
vec2 width(vec2 place) {
    vec2 first = vec2(equal(place, vec2(0.0))), last = vec2(equal(place, grid.xy - 1.0));
    return 1.0 - 0.5 * (first * half_cells.xz + last * half_cells.yw);
}

float beside(vec2 place, float wide, float grip_of, float along_of) {
    place += grid.zw * (vec2(lessThan(place, vec2(0.0))) - vec2(greaterThanEqual(place, grid.xy)));
    vec4 there = value2(held, place + 0.5);
    return inside(place) ? wide * component(there.zw) * component(there.xy) : 2.0 * grip_of * along_of;
}
#endif

float element(vec2 place) {
    if (!inside(place)) {
        return 0.0;
    }
    bool is_held = component(value2(held, place + 0.5).zw) > 0.5;
    float own = component(value2(velocity, place + 0.5).xy);
#if START == 0
    vec2 wide = width(place).yx, right = vec2(1.0, 0.0), up = vec2(0.0, 1.0);
    float around = (beside(place - right, wide.x, grip.x, along.x) + beside(place + right, wide.x, grip.y, along.y))
        + (beside(place - up, wide.y, grip.z, along.z) + beside(place + up, wide.y, grip.w, along.w));
    own = own * wide.x * wide.y + a * around;
#endif
    return is_held ? 0.0 : own;
}

void main() {
    vec2 first = 2.0 * floor(at);
    right_side = vec4(
        element(first), element(first + vec2(1.0, 0.0)), element(first + vec2(0.0, 1.0)), element(first + vec2(1.0, 1.0)));
}
