// Formula:   a triangle around the disc of r pixels at matrix (p, 1), r by mass^growth and distance; colour by |v|, or a sun's; light by 2^-magnitude
// Inputs:    positions (p, mass), velocities (v, 0), both folded, in tiles one below the other, a tile a moment; palette
// Domain and range: gl_VertexID -> triangles, three vertices a body and moment
// Edges:     what is behind the eye, or nowhere, is not drawn
// Reference: Harris, Mapping Computational Concepts to GPUs, vertex texture fetch, and its course slides (N bodies)
uniform Stream positions, velocities, palette;
uniform vec4 matrix_x, matrix_y, matrix_w;
uniform vec4 tiles;    // bodies and rows of texels of a moment, moments, the newest of them
uniform vec4 radii;    // texels of the canvas: of a mass of 1 at distance 1, the least, the most; nearest distance
uniform vec2 canvas;   // its texels
uniform vec2 low_high; // speeds of the first and last colour
uniform float growth, strength;
uniform float magnitudes; // by how many halvings the light of small discs differs
uniform float sun;        // the least mass of one
out vec2 away;         // from the middle of the disc, in its radii
out vec3 light;        // in the middle
out float sharpness;   // how soon it fades away from there

const vec3 SUNLIGHT = vec3(48.0, 36.0, 17.0); // so bright that its middle pales on the film
const float FAINTEST = 0.3; // of what is smaller than a disc can be: it loses light instead, but no more than that

// Quotient and remainder of whole numbers below 2^24, however the division rounds.
vec2 divided(float number, float by) {
    float quotient = floor(number / by), rest = number - quotient * by;
    float carry = float(rest >= by) - float(rest < 0.0);
    return vec2(quotient + carry, rest - carry * by);
}

void main() {
    vec2 vertex = divided(float(gl_VertexID), 3.0), point = divided(vertex.x, tiles.x); // (.., corner), (moment, body)
    float age = tiles.w - point.x;
    age += age < 0.0 ? tiles.z : 0.0;

    vec2 at = fold(positions, point.y) + vec2(0.0, point.x * tiles.y);
    vec4 body = value2(positions, at), p = vec4(body.xyz, 1.0);
    float speed = length(value2(velocities, at).xyz), distance = dot(matrix_w, p);
    bool seen = dot(body.xyz, body.xyz) < 1e36 && distance > radii.w; // neither is true of no number

    float radius = radii.x * pow(max(body.w, 1e-30), growth) / distance;
    float drawn = clamp(radius, radii.y, radii.z), lost = min(radius / drawn, 1.0), fresh = 1.0 - age / tiles.z;
    float shade = clamp((speed - low_high.x) / (low_high.y - low_high.x), 0.0, 1.0);
    vec3 colour = value2(palette, vec2(shade * 255.0 + 0.5, 0.5)).rgb;
    colour = body.w >= sun ? SUNLIGHT : colour;
    colour = isnan(speed) ? vec3(1.0, 0.0, 1.0) : colour;
    // Numbers of bodies spread over magnitudes by the golden section: few are bright, and those a little larger.
    float dim = fract(0.618034 * point.y), small = clamp(2.0 - drawn / radii.y, 0.0, 1.0);
    drawn *= 1.0 + 0.7 * small * min(magnitudes, 1.0) * pow(1.0 - dim, 8.0);
    // A large disc is a bright middle in a wide glow.
    sharpness = min(2.0 * drawn / radii.y, 16.0);
    light = exp2(-magnitudes * small * dim) * 0.5 * sharpness * strength * fresh * fresh * max(lost * lost, FAINTEST) * colour;

    // The disc of radius 1 just fits into this triangle.
    away = vertex.y < 0.5 ? vec2(0.0, 2.0) : vec2(vertex.y < 1.5 ? -1.7320508 : 1.7320508, -1.0);
    vec2 middle = vec2(dot(matrix_x, p), dot(matrix_y, p)) / distance;
    gl_Position = seen ? vec4(middle + away * drawn * 2.0 / canvas, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}
