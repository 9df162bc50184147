// Formula:   clip = matrix (p + R(q) (h * corner), 1); the corner by gl_VertexID, 36 a box; with SKIES that of all boxes for each of 16 matrices, in tiles
// Inputs:    placements (4 x boxes: (p, glow), q, (h, 0), (colour, 0)), matrix rows; SKIES: three rows of each, number of boxes; LIT: texels (along a side of a face)
// Domain and range: gl_VertexID -> triangles, against the clock as seen from outside
// Edges:     none
// Reference: Harris, Mapping Computational Concepts to GPUs, vertex texture fetch; Moravanszky, the wall of cubes
uniform Stream placements;
#if SKIES
uniform vec4 ways[48];
uniform float boxes;
out vec3 seen; // across and up its tile, -1 to 1, and how deep
#else
uniform vec4 matrix_x, matrix_y, matrix_z, matrix_w;
out vec3 place;      // in the world
#if LIT
uniform float texels; // along a side of a face
out vec3 inside;     // along the box's own axes, from its middle
out vec3 half_sides;
out vec4 turn;       // the quaternion
out vec4 paint;      // colour and glow
out vec4 chart;      // texels on the face, and those before its first
#endif
#endif

vec3 turned(vec4 q, vec3 v) {
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

// The corner `id` of 0 to 5 of two triangles over the square -1 to 1.
vec2 square(float id) {
    return vec2(id == 1.0 || id == 2.0 || id == 4.0 ? 1.0 : -1.0, id == 2.0 || id == 4.0 || id == 5.0 ? 1.0 : -1.0);
}

void main() {
    float id = float(gl_VertexID);
#if SKIES
    int way = int(floor((id + 0.5) / (36.0 * boxes)));
    id -= 36.0 * boxes * float(way);
#endif
    float box = floor((id + 0.5) / 36.0), corner = id - 36.0 * box;
    float face = floor((corner + 0.5) / 6.0), axis = floor((face + 0.5) / 2.0);
    float side = face - 2.0 * axis > 0.5 ? 1.0 : -1.0;
    vec2 on = square(corner - 6.0 * face) * vec2(side, 1.0); // the faces of side -1 the other way round
    vec3 unit_corner = axis < 0.5 ? vec3(side, on) : axis < 1.5 ? vec3(on.y, side, on.x) : vec3(on, side);

    vec4 at = value2(placements, vec2(0.5, box + 0.5)), q = value2(placements, vec2(1.5, box + 0.5));
    vec3 sides = value2(placements, vec2(2.5, box + 0.5)).xyz, arm = sides * unit_corner;
    vec4 p = vec4(at.xyz + turned(q, arm), 1.0);
#if SKIES
    seen = vec3(dot(ways[3 * way], p), dot(ways[3 * way + 1], p), dot(ways[3 * way + 2], p));
    float row = floor((float(way) + 0.5) * 0.25);
    gl_Position = vec4(0.25 * (seen.xy + 2.0 * vec2(float(way) - 4.0 * row, row) - 3.0), seen.z, 1.0);
#else
    place = p.xyz;
#if LIT
    inside = arm;
    half_sides = sides;
    turn = q;
    paint = vec4(value2(placements, vec2(3.5, box + 0.5)).rgb, at.w);
    chart = texels * vec4(0.5 * on + 0.5, face, box);
#endif
    gl_Position = vec4(dot(matrix_x, p), dot(matrix_y, p), dot(matrix_z, p), dot(matrix_w, p));
#endif
}
