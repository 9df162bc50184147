// Formula:   clip = matrix (middle + half corner, 1) at the ground's height; the corner by gl_VertexID
// Inputs:    ground = (x, height, z, half its side), matrix rows
// Domain and range: gl_VertexID -> a strip of two triangles
// Edges:     none
// Reference: house
uniform vec4 ground;
uniform vec4 matrix_x, matrix_y, matrix_z, matrix_w;
out vec3 place; // in the world
out vec2 away;  // from the middle

void main() {
    float id = float(gl_VertexID), far = id > 1.5 ? 1.0 : 0.0;
    away = ground.w * (2.0 * vec2(id - 2.0 * far, 1.0 - far) - 1.0);
    place = ground.xyz + vec3(away.x, 0.0, away.y);
    vec4 p = vec4(place, 1.0);
    gl_Position = vec4(dot(matrix_x, p), dot(matrix_y, p), dot(matrix_z, p), dot(matrix_w, p));
}
