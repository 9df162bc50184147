// Formula:   z = one cycle on A z = r of the last two levels: SWEEPS sweeps from 0, 1 + SWEEPS_ON_COARSEST of the coarsest level, SWEEPS backwards
// Inputs:    r; diagonal, to_east, to_south, to_above of A, and of the coarsest level, the last one where there are slices above others; tiles of both boxes; factors of the sweeps, and of the coarsest level's
// Domain and range: all texels of the finer box, whose NX, NY, NZ columns, rows and slices of texels lie in its tiles; CX, CY, CZ of the coarsest
// Edges:     where d = 0 and beyond the box z is 0
// Reference: the passes of seven_point.frag, voxel_coarsen.frag and voxel_refine.frag, all of them for each fragment
uniform Stream r, diagonal, to_east, to_south;
#if NZ > 1
uniform Stream to_above;
#endif
uniform Stream last_diagonal, last_to_east, last_to_south;
#if CZ > 1
uniform Stream last_to_above;
#endif
uniform vec3 tiles, last_tiles; // columns and rows of texels, and tiles in a row
uniform vec4 factors;
uniform float damping;
DOMAIN at;
RANGE vec4 z;

const int COUNT = NX * NY * NZ, NOTHING = COUNT + CX * CY * CZ;

// The texels of both levels, the finer one's first, and one of zeros.
vec4 x[NOTHING + 1], next[NOTHING + 1], y[NOTHING + 1], d[NOTHING + 1];
vec4 east[NOTHING + 1], south[NOTHING + 1], above[NOTHING + 1];

// A level: its first texel, and its columns, rows and slices of them.
struct Level {
    int first;
    ivec3 size;
};

const Level FINE = Level(0, ivec3(NX, NY, NZ)), LAST = Level(COUNT, ivec3(CX, CY, CZ));

int numberOf(Level level, ivec3 texel) {
    return level.first + (texel.z * level.size.y + texel.y) * level.size.x + texel.x;
}

// The same of a neighbour that may be beyond the box.
int beside(Level level, ivec3 texel) {
    bool inside = all(greaterThanEqual(texel, ivec3(0))) && all(lessThan(texel, level.size));
    return inside ? numberOf(level, texel) : NOTHING;
}

vec2 placeOf(ivec3 texel, vec3 of_tiles) {
    float row = floor((float(texel.z) + 0.5) / of_tiles.z);
    return vec2(float(texel.z) - row * of_tiles.z, row) * of_tiles.xy + vec2(texel.xy) + 0.5;
}

// y - A x.
vec4 rest(Level level, ivec3 texel) {
    int own = numberOf(level, texel);
    int w = beside(level, texel - ivec3(1, 0, 0)), e = beside(level, texel + ivec3(1, 0, 0));
    int n = beside(level, texel - ivec3(0, 1, 0)), s = beside(level, texel + ivec3(0, 1, 0));
    int b = beside(level, texel - ivec3(0, 0, 1)), a = beside(level, texel + ivec3(0, 0, 1));
    vec4 here = x[own], to_e = east[own], to_s = south[own], unknown = step(vec4(1e-30), d[own]);
    vec4 to_w = vec4(east[w].g, to_e.r, east[w].a, to_e.b), to_n = vec4(south[n].ba, to_s.rg);
    vec4 of_w = vec4(x[w].g, here.r, x[w].a, here.b), of_e = vec4(here.g, x[e].r, here.a, x[e].b);
    vec4 of_n = vec4(x[n].ba, here.rg), of_s = vec4(here.ba, x[s].rg);
    vec4 sum = (to_w * of_w + to_e * of_e) + (to_n * of_n + to_s * of_s) + (above[b] * x[b] + above[own] * x[a]);
    return y[own] - unknown * (d[own] * here - sum);
}

void sweep(Level level, float factor) {
    for (int k = 0; k < level.size.z; ++k) for (int j = 0; j < level.size.y; ++j) for (int i = 0; i < level.size.x; ++i) {
        int own = numberOf(level, ivec3(i, j, k));
        vec4 inverse = factor * step(vec4(1e-30), d[own]) / max(d[own], vec4(1e-30));
        next[own] = x[own] + inverse * rest(level, ivec3(i, j, k));
    }
    int end = level.first + level.size.x * level.size.y * level.size.z;
    for (int own = level.first; own < end; ++own) {
        x[own] = next[own];
    }
}

// The sum over both slices of the 2x2 voxels in a column of two texels.
float sumOf(ivec3 texel) {
    int low = beside(FINE, texel), high = beside(FINE, texel + ivec3(0, 0, 1));
    return dot(next[low] + next[high], vec4(1.0));
}

void main() {
    vec3 voxel = voxelAt(at, tiles);
    ivec3 own = ivec3(0.5 * voxel.xy + 0.25, voxel.z + 0.25);
    x[NOTHING] = next[NOTHING] = y[NOTHING] = d[NOTHING] = vec4(0.0);
    east[NOTHING] = south[NOTHING] = above[NOTHING] = vec4(0.0);
    for (int k = 0; k < NZ; ++k) for (int j = 0; j < NY; ++j) for (int i = 0; i < NX; ++i) {
        int number = numberOf(FINE, ivec3(i, j, k));
        vec2 place = placeOf(ivec3(i, j, k), tiles);
        x[number] = vec4(0.0);
        y[number] = value2(r, place);
        d[number] = value2(diagonal, place);
        east[number] = value2(to_east, place);
        south[number] = value2(to_south, place);
#if NZ > 1
        above[number] = value2(to_above, place);
#else
        above[number] = vec4(0.0);
#endif
    }
    for (int k = 0; k < CZ; ++k) for (int j = 0; j < CY; ++j) for (int i = 0; i < CX; ++i) {
        int number = numberOf(LAST, ivec3(i, j, k));
        vec2 place = placeOf(ivec3(i, j, k), last_tiles);
        x[number] = vec4(0.0);
        d[number] = value2(last_diagonal, place);
        east[number] = value2(last_to_east, place);
        south[number] = value2(last_to_south, place);
#if CZ > 1
        above[number] = value2(last_to_above, place);
#else
        above[number] = vec4(0.0);
#endif
    }
    for (int t = 0; t < SWEEPS; ++t) {
        sweep(FINE, factors[t]);
    }
    for (int k = 0; k < NZ; ++k) for (int j = 0; j < NY; ++j) for (int i = 0; i < NX; ++i) {
        next[numberOf(FINE, ivec3(i, j, k))] = rest(FINE, ivec3(i, j, k));
    }
    for (int k = 0; k < CZ; ++k) for (int j = 0; j < CY; ++j) for (int i = 0; i < CX; ++i) {
        ivec3 below = 2 * ivec3(i, j, k);
        y[numberOf(LAST, ivec3(i, j, k))] = vec4(sumOf(below), sumOf(below + ivec3(1, 0, 0)),
            sumOf(below + ivec3(0, 1, 0)), sumOf(below + ivec3(1, 1, 0)));
    }
    for (int t = 0; t <= SWEEPS_ON_COARSEST; ++t) {
        sweep(LAST, damping);
    }
    for (int k = 0; k < NZ; ++k) for (int j = 0; j < NY; ++j) for (int i = 0; i < NX; ++i) {
        int number = numberOf(FINE, ivec3(i, j, k));
        vec4 four = x[numberOf(LAST, ivec3(i >> 1, j >> 1, k >> 1))];
        vec2 row = (j & 1) == 0 ? four.rg : four.ba;
        x[number] += ((i & 1) == 0 ? row.x : row.y) * step(vec4(1e-30), d[number]);
    }
    for (int t = SWEEPS - 1; t >= 0; --t) {
        sweep(FINE, factors[t]);
    }
    z = x[beside(FINE, own)];
}
