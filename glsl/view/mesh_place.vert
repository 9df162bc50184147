// Formula:   clip = matrix (x, relief h, z, 1); the strip's vertices in rows, each row twice as long as the mesh
// Inputs:    nodes (height, slopes, wild), mesh = (columns, rows, cells a vertex, size of a cell), nodes a vertex, sides, matrix rows, eye
// Domain and range: gl_VertexID -> the nodes of row after row, with walls down to the floor on the sides that face the eye
// Edges:     clamp
// Reference: Harris, Mapping Computational Concepts to GPUs, vertex texture fetch; Krueger & Westermann, 44.4
uniform Stream nodes;
uniform vec4 mesh;
uniform vec2 half_sides;
uniform vec3 eye;
uniform float floor_depth, relief, skip;
uniform vec4 matrix_x, matrix_y, matrix_z, matrix_w;
out vec3 place;  // in the world
out vec4 water;  // height, its slopes, wild
out float below; // 0 on the surface, 1 at the foot of a wall

void main() {
    // A row of the strip: the lower and upper node of each column in turn, its first and last vertex twice.
    float count = 2.0 * (mesh.x + 3.0) + 2.0, id = float(gl_VertexID);
    float row = floor((id + 0.5) / count), along = id - row * count;
    float carry = float(along >= count) - float(along < 0.0); // when the quotient was rounded
    row += carry;
    along = clamp(along - carry * count - 1.0, 0.0, count - 3.0);
    float column = floor(along * 0.5);
    // The outermost ring of nodes are those of the edge again, on the floor. A side that is seen from behind has none: it would have to
    // be discarded, and then no fragment could be hidden before it runs.
    vec2 ring = vec2(column - 1.0, row - (along - 2.0 * column));
    vec2 node = clamp(ring, vec2(0.0), mesh.xy), side = ring - node;
    below = float(any(greaterThan(side * eye.xz, abs(side) * half_sides)));

    water = value2(nodes, min(node * skip + 0.5, nodes.extent.xy - 0.5));
    vec2 ground = min(node * mesh.z * mesh.w, 2.0 * half_sides) - half_sides;
    float y = clamp(relief * water.x, -0.9 * floor_depth, 5.0 * floor_depth);
    place = vec3(ground.x, mix(y, -floor_depth, below), ground.y);

    vec4 p = vec4(place, 1.0);
    gl_Position = vec4(dot(matrix_x, p), dot(matrix_y, p), dot(matrix_z, p), dot(matrix_w, p));
}
