// Words of kernels that follow a flow. A lattice is where one kind of number lies: elements from (0, 0) on, `counts` of them
// across and up, a spacing apart. A place is an element and a way from it in spacings: so its weights are as exact as the way,
// however many cells the grid has. `periodic` is 1 or 0 for each axis.

// The element that stands there: beyond the lattice the nearest one, on a periodic axis the one that it is again.
vec2 elementOf(vec2 element, vec2 counts, vec2 periodic) {
    vec2 again = element - counts * floor((element + 0.5) / counts);
    return mix(clamp(element, vec2(0.0), counts - 1.0), again, periodic);
}

#ifdef STAGGERED
// Where the first u, v and scalar lie among the cells of solids; a node is in the middle of a cell of its own, and the corner
// of the box with it.
#if STAGGERED
const vec2 OF_U = vec2(0.0, 0.5), OF_V = vec2(0.5, 0.0), OF_CENTRE = vec2(0.5), CORNER = vec2(0.0);
#else
const vec2 OF_U = vec2(0.5), OF_V = vec2(0.5), OF_CENTRE = vec2(0.5), CORNER = vec2(0.5);
#endif

// Elements of the lattice that begins there: one more than cells of the box where it begins at its edge.
vec2 countsOf(vec2 start, vec2 cells, vec2 periodic) {
    return cells + (1.0 - periodic) * step(start - CORNER, vec2(0.25));
}
#endif

// The four elements around a place, and how far it is from the south-western one to the others.
struct Around {
    vec4 sw, se, nw, ne;
    vec2 part;
};

// Four fetches. Beyond the lattice all that lies across an axis is the outermost element.
Around aroundPlace(Stream stream, vec2 element, vec2 way, vec2 counts, vec2 periodic) {
    vec2 hop = floor(way);
    vec2 low = elementOf(element + hop, counts, periodic) + 0.5;
    vec2 high = elementOf(element + hop + 1.0, counts, periodic) + 0.5;
    return Around(
        value2(stream, low), value2(stream, vec2(high.x, low.y)),
        value2(stream, vec2(low.x, high.y)), value2(stream, high), way - hop);
}

// Bilinear: four alike make the very same number.
vec4 betweenFour(Around four) {
    vec4 south = four.sw + four.part.x * (four.se - four.sw);
    vec4 north = four.nw + four.part.x * (four.ne - four.nw);
    return south + four.part.y * (north - south);
}

vec4 leastOf(Around four) {
    return min(min(four.sw, four.se), min(four.nw, four.ne));
}

vec4 mostOf(Around four) {
    return max(max(four.sw, four.se), max(four.nw, four.ne));
}

// The same four where only some are open (1; 0 is solid; in the order of Around): each other one is replaced by what the
// weights of the open ones, made to sum to 1, give. Between cells that meet at a corner alone, with two solid ones at its
// sides, nothing passes.
Around onlyOpen(Around four, vec4 open) {
    vec2 near = step(vec2(0.5), four.part);
    if (open.y + open.z < 0.5 && near.x == near.y) {
        open.xw *= vec2(1.0 - near.x, near.x);
    }
    if (open.x + open.w < 0.5 && near.x != near.y) {
        open.yz *= near;
    }
    vec4 base = open.x > 0.5 ? four.sw : open.y > 0.5 ? four.se : open.z > 0.5 ? four.nw : four.ne;
    four.sw = open.x > 0.5 ? four.sw : base;
    four.se = open.y > 0.5 ? four.se : base;
    four.nw = open.z > 0.5 ? four.nw : base;
    four.ne = open.w > 0.5 ? four.ne : base;
    vec2 rest = 1.0 - four.part;
    vec4 weights = open * vec4(rest.x, four.part.x, rest.x, four.part.x) * vec4(rest.yy, four.part.yy);
    weights /= max(weights.x + weights.y + weights.z + weights.w, 1e-30);
    vec4 mean = base + weights.x * (four.sw - base) + weights.y * (four.se - base) + weights.z * (four.nw - base)
        + weights.w * (four.ne - base);
    mean = clamp(mean, leastOf(four), mostOf(four));
    return Around(
        open.x > 0.5 ? four.sw : mean, open.y > 0.5 ? four.se : mean,
        open.z > 0.5 ? four.nw : mean, open.w > 0.5 ? four.ne : mean, four.part);
}

// The values around a place, without the solid ones by one of the numbers of `openings` (fluid_open.frag). Four fetches.
Around withoutSolids(
    Around four, Stream openings, vec3 number, vec2 element, vec2 way, vec2 counts, vec2 periodic) {
    Around near = aroundPlace(openings, element, way, counts, periodic);
    vec4 open = vec4(
        dot(near.sw.xyz, number), dot(near.se.xyz, number), dot(near.nw.xyz, number), dot(near.ne.xyz, number));
    return onlyOpen(four, step(vec4(0.25), open));
}

// A path ends at the edge of a solid cell, a hair before it so that it is known which side it is on; or when it has entered
// CROSSINGS cells, at the edge of the next one.
const float HAIR = 1.0 / 1024.0;
const int CROSSINGS = 64;

// True if a way and all that lies around its end are open: `room` is that of the cell where it begins.
bool isClear(vec2 way, float room) {
    return max(abs(way.x), abs(way.y)) + 2.0 <= room;
}

// As much of a way as leads through open cells (z of `openings` is 1), from a `part` of a cell on: it looks at every cell on
// it. Amanatides & Woo, A Fast Voxel Traversal Algorithm, 1987.
vec2 openWay(Stream openings, vec2 cell, vec2 part, vec2 way, vec2 counts, vec2 periodic) {
    vec2 hop = vec2(way.x < 0.0 ? -1.0 : 1.0, way.y < 0.0 ? -1.0 : 1.0);
    vec2 each = 1.0 / max(abs(way), vec2(1e-20));
    vec2 next = each * (0.5 + hop * (0.5 - part)); // when the next edge is met, of 0 to 1
    for (int crossing = 0; crossing < CROSSINGS; ++crossing) {
        float time = min(next.x, next.y);
        if (time >= 1.0) {
            return way;
        }
        vec2 axis = next.x < next.y ? vec2(1.0, 0.0) : vec2(0.0, 1.0);
        cell += axis * hop;
        if (value2(openings, elementOf(cell, counts, periodic) + 0.5).z < 0.5) {
            return time * way - HAIR * axis * hop;
        }
        next += axis * each;
    }
    return min(next.x, next.y) * way;
}
