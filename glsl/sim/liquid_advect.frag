// Formula:   q(x) = q(x - dt u(x - dt u(x) / 2)), trilinear; AXIS 0, 1, 2: u, v, w, 3: at centres, FADING: over 1 + dt loss
// Inputs:    corners of u, v, w (m/s); AXIS 3: corners of q, LEAST: its lower bound; dt (s); tiles; voxels of the box, a metre; loss (1/s)
// Domain and range: all voxels, or faces across AXIS
// Edges:     the nearest place of the box; elements beyond it are 0
// Reference: Stam, Stable Fluids, 1999 (back along the path, here by the midpoint rule)
uniform Stream u, v, w;
#if AXIS == 0
#define quantity u
#elif AXIS == 1
#define quantity v
#elif AXIS == 2
#define quantity w
#else
uniform Stream quantity;
#if LEAST
uniform Stream least;
#endif
#endif
uniform Stream time_step;
uniform vec3 tiles, size;
uniform float voxels_a_metre;
#if AXIS == 3 && FADING
uniform float loss;
#endif
DOMAIN at;
RANGE vec4 moved;

const vec3 X = vec3(1.0, 0.0, 0.0), Y = vec3(0.0, 1.0, 0.0), Z = vec3(0.0, 0.0, 1.0);
#if AXIS == 0
const vec3 AMONG = X;
#elif AXIS == 1
const vec3 AMONG = Y;
#elif AXIS == 2
const vec3 AMONG = Z;
#else
const vec3 AMONG = vec3(0.0);
#endif

// Places are in voxels from the corner of the box: centres of voxels at (i, j, k) + 1/2, those of faces half a voxel before.
float across(Stream corners, vec3 place, vec3 axis) {
    return betweenVoxels(corners, place - 0.5 + 0.5 * axis, size - 1.0 + axis, tiles);
}

vec3 velocity(vec3 place) {
    return vec3(across(u, place, X), across(v, place, Y), across(w, place, Z));
}

float arriving(vec3 element, float way) {
    vec3 place = element + 0.5 - 0.5 * AMONG;
    vec3 between = place - 0.5 * way * velocity(place);
    vec3 inside = step(element, size - 0.5 + AMONG);
    return inside.x * inside.y * inside.z * across(quantity, place - way * velocity(between), AMONG);
}

void main() {
    vec3 first = voxelAt(at, tiles);
    float dt = value0(time_step).x, way = voxels_a_metre * dt; // in voxels, of 1 m/s
    moved = vec4(arriving(first, way), arriving(first + X, way), arriving(first + Y, way), arriving(first + X + Y, way));
#if AXIS == 3 && FADING
    moved /= 1.0 + loss * dt;
#endif
#if AXIS == 3 && LEAST
    moved = max(moved, value2(least, at));
#endif
}
