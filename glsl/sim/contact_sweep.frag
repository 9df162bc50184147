// Formula:   x' = clamp(y - pace D^-1 g, bounds) with g = A y + b, then y' = x' + momentum (x' - x)
// Inputs:    columns of A's blocks (first, second, third), contacts, given (b and the bound of friction; the start), x, y, g, steer
// Domain and range: contacts down -> x', y', g, each with a part of y' - y beside it, and what is measured
// Edges:     slots past a contact's last have zeros; 1 / D is 0 in rows that take no part, which stay 0
// Reference: Nesterov 1983; O'Donoghue & Candes, Adaptive Restart for Accelerated Gradient Schemes, 2015, 3.2
//
// Measured: by how much a velocity misses its bounds at y, (y - x').D (x' - x), and of t, the way to y from the one before, t.A t
// and t.D t. Steer holds of each group (the sweep since which momentum grows, pace, the sweep at which it came to rest, what
// velocities missed). At sweep 0, x and y are the start, in the second column of given, and nothing was before.
uniform Stream first, second, third, contacts, given, x, y, g, steer;
uniform float sweep;
DOMAIN at;
RANGE vec4 next_x;
RANGE vec4 next_y;
RANGE vec4 next_g;
RANGE vec4 measured;

void main() {
    vec4 own = value2(contacts, vec2(5.5, at.y)), right = value2(given, vec2(0.5, at.y));
    float slots = value2(contacts, vec2(6.5, at.y)).x, column = sweep > 0.5 ? 0.5 : 1.5;
    vec3 slope = right.xyz;
    for (float slot = 0.5; slot < slots; slot += 4.0) {
        vec2 place = vec2(slot, at.y);
        vec4 a = value2(first, place), b = valueOffset(first, place, ivec2(1, 0));
        vec4 c = valueOffset(first, place, ivec2(2, 0)), d = valueOffset(first, place, ivec2(3, 0));
        vec3 ya = value2(y, vec2(column, a.w)).xyz, yb = value2(y, vec2(column, b.w)).xyz;
        vec3 yc = value2(y, vec2(column, c.w)).xyz, yd = value2(y, vec2(column, d.w)).xyz;
        slope += mat3(a.xyz, value2(second, place).xyz, value2(third, place).xyz) * ya;
        slope += mat3(b.xyz, valueOffset(second, place, ivec2(1, 0)).xyz, valueOffset(third, place, ivec2(1, 0)).xyz) * yb;
        slope += mat3(c.xyz, valueOffset(second, place, ivec2(2, 0)).xyz, valueOffset(third, place, ivec2(2, 0)).xyz) * yc;
        slope += mat3(d.xyz, valueOffset(second, place, ivec2(3, 0)).xyz, valueOffset(third, place, ivec2(3, 0)).xyz) * yd;
    }
    vec4 here = value2(y, vec2(column, at.y)), last = value2(x, vec2(column, at.y)), before = value2(g, vec2(column, at.y));
    vec4 now = value2(steer, vec2(0.5, own.w));
    vec3 low = vec3(0.0, -right.w, -right.w), high = vec3(3.0e38, right.w, right.w);
    vec3 scale = mix(1.0 / own.xyz, vec3(0.0), equal(own.xyz, vec3(0.0)));
    vec3 miss = scale * abs(here.xyz - clamp(here.xyz - own.xyz * slope, low, high));
    vec3 way = sweep > 0.5 ? vec3(last.w, here.w, before.w) : vec3(0.0);
    float age = sweep - now.x;
    vec3 to = last.xyz, next = last.xyz;
    if (now.z == 0.0) {
        to = clamp(here.xyz - now.y * own.xyz * slope, low, high);
        next = to + age / (age + 3.0) * (to - last.xyz);
    }
    vec3 ahead = next - here.xyz;
    next_x = vec4(to, ahead.x);
    next_y = vec4(next, ahead.y);
    next_g = vec4(slope, ahead.z);
    measured = vec4(max(miss.x, max(miss.y, miss.z)), dot(here.xyz - to, scale * (to - last.xyz)),
        dot(way, slope - before.xyz), dot(way, scale * way));
}
