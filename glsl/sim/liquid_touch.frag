// Formula:   PUSH: u + amount exp(-d^2 / r^2), d the distance from a line; else min(phi, |p - c| - r), or of SMOKE max(q, 3/2 - |p - c| / r) up to 1
// Inputs:    a component of the velocity (m/s), phi (voxels) or q; tiles, voxels of the box; first = where the first of them lies; line or middle c (voxels), radius r; along (a unit)
// Domain and range: all voxels, or all faces across an axis
// Edges:     what lies between slices stays
// Reference: house
uniform Stream field;
uniform vec3 tiles, size, first, middle;
#if PUSH
uniform vec3 along;
uniform vec2 radius_amount;
#else
uniform float radius;
#endif
DOMAIN at;
RANGE vec4 touched;

float there(vec3 p, float before) {
    if (any(greaterThan(p, size))) return before; // between slices
    vec3 away = p - middle;
#if PUSH
    away -= dot(away, along) * along;
    return before + radius_amount.y * exp(-dot(away, away) / (radius_amount.x * radius_amount.x));
#elif SMOKE
    return max(before, clamp(1.5 - length(away) / radius, 0.0, 1.0));
#else
    return min(before, length(away) - radius);
#endif
}

void main() {
    vec3 p = voxelAt(at, tiles) + first;
    vec4 before = value2(field, at);
    touched = vec4(
        there(p, before.r), there(p + vec3(1.0, 0.0, 0.0), before.g),
        there(p + vec3(0.0, 1.0, 0.0), before.b), there(p + vec3(1.0, 1.0, 0.0), before.a));
}
