// Formula:   phi - (sign(start) (|grad phi| - 1)) / 2 upwind; beside the surface phi - (sign(start) |phi| - D) / 2, D = start / |grad start|
// Inputs:    phi, start: phi before the first of these passes (voxels); cells (0 solid); tiles, voxels of the box; hop
// Domain and range: all voxels
// Edges:     beyond walls as before them; what is solid takes the mean of its open neighbours; 0 beyond the box
// Reference: Sussman, Smereka & Osher 1994; Russo & Smereka 2000 (D: the surface itself stays where it is)
uniform Stream phi, start, cells;
uniform vec3 tiles, size;
uniform vec2 hop;
DOMAIN at;
RANGE vec4 next;

// Largest square of the slope along an axis that looks towards the surface.
vec4 upwind(vec4 from, vec4 own, vec4 to, vec4 outside) {
    vec4 back = outside * (own - from), ahead = outside * (to - own);
    vec4 a = max(back, 0.0), b = min(ahead, 0.0);
    return max(a * a, b * b);
}

// Largest square of any of its slopes along an axis.
vec4 steepest(vec4 from, vec4 own, vec4 to) {
    vec4 back = own - from, ahead = to - own, both = 0.5 * (to - from);
    return max(both * both, max(back * back, ahead * ahead));
}

// Neighbours of a field, walls as mirrors.
Neighbours mirrored(Neighbours of, vec4 own, Neighbours open) {
    return Neighbours(
        mix(own, of.west, open.west), mix(own, of.east, open.east), mix(own, of.north, open.north),
        mix(own, of.south, open.south), mix(own, of.below, open.below), mix(own, of.above, open.above));
}

vec4 sum(Neighbours of) {
    return ((of.west + of.east) + (of.north + of.south)) + (of.below + of.above);
}

void main() {
    vec4 kind = value2(cells, at), own = value2(phi, at), first = value2(start, at), half_way = vec4(0.5);
    Neighbours kinds = neighboursOf(cells, addressOf(cells, at), kind, hop);
    Neighbours open = Neighbours(
        step(half_way, kinds.west), step(half_way, kinds.east), step(half_way, kinds.north),
        step(half_way, kinds.south), step(half_way, kinds.below), step(half_way, kinds.above));
    Neighbours now = mirrored(neighboursOf(phi, addressOf(phi, at), own, hop), own, open);
    Neighbours then = mirrored(neighboursOf(start, addressOf(start, at), first, hop), first, open);
    vec4 outside = 1.0 - 2.0 * step(first, vec4(-1e-30));

    vec4 slope = sqrt(upwind(now.west, own, now.east, outside) + upwind(now.north, own, now.south, outside)
        + upwind(now.below, own, now.above, outside));
    vec4 far = own - 0.5 * outside * (slope - 1.0);

    vec4 steep = sqrt(steepest(then.west, first, then.east) + steepest(then.north, first, then.south)
        + steepest(then.below, first, then.above));
    vec4 near = own - 0.5 * (outside * abs(own) - first / max(steep, 1e-3));

    vec4 least = min(min(min(then.west * outside, then.east * outside), min(then.north * outside, then.south * outside)),
                     min(then.below * outside, then.above * outside));
    vec4 crossed = step(least, vec4(-1e-30));
    vec4 moved = mix(far, near, crossed);

    // A mirrored value adds the own one, which leaves the sum of the open ones.
    vec4 count = sum(open);
    vec4 mean = (sum(now) - (6.0 - count) * own) / max(count, 1.0);
    vec4 solid = mix(own, mean, step(half_way, count));

    vec3 voxel = voxelAt(at, tiles);
    vec4 inside = step(vec4(voxel.x, voxel.x + 1.0, voxel.x, voxel.x + 1.0), vec4(size.x - 0.5))
        * step(vec4(voxel.yy, voxel.yy + 1.0), vec4(size.y - 0.5)) * step(voxel.z, size.z - 0.5);
    next = inside * mix(solid, moved, step(half_way, kind));
}
