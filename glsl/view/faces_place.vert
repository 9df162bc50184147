// Formula:   clip = matrix (x, 1), x the position of the vertex at this corner
// Inputs:    corners (address of the vertex, which of the triangle's three corners), folded; positions (x, curvature); matrix rows; ROUND: normals of vertices
// Domain and range: gl_VertexID -> triangles, three corners each
// Edges:     none
// Reference: Harris, Mapping Computational Concepts to GPUs, vertex texture fetch; Bolz et al., 3.1.1 (addresses)
uniform Stream corners, positions;
#if ROUND
uniform Stream normals;
out vec3 normal;
#endif
uniform vec4 matrix_x, matrix_y, matrix_z, matrix_w;
out vec3 place;
out vec3 across;     // how near each corner is: 1 at it, 0 along the edge opposite to it
out float curvature;

void main() {
    vec2 corner = value(corners, float(gl_VertexID)).xy;
    float row = floor(corner.x);
    vec2 texel = vec2(4096.0 * (corner.x - row), row) + 0.5;
    vec4 vertex = value2(positions, texel);
#if ROUND
    normal = value2(normals, texel).xyz;
#endif
    place = vertex.xyz;
    curvature = vertex.w;
    across = vec3(equal(vec3(corner.y), vec3(0.0, 1.0, 2.0)));
    vec4 p = vec4(place, 1.0);
    gl_Position = vec4(dot(matrix_x, p), dot(matrix_y, p), dot(matrix_z, p), dot(matrix_w, p));
}
