// Formula:   clip = matrix (x, y, z, 1); four quads of a deck around a pool, its four walls, and four around the deck, six vertices each
// Inputs:    half_sides, depth and deck (height) of the pool; reach of the deck; matrix rows
// Domain and range: gl_VertexID, 0 to 71 -> triangles
// Edges:     none
// Reference: house
uniform vec2 half_sides;
uniform float depth, deck, reach;
uniform vec4 matrix_x, matrix_y, matrix_z, matrix_w;
out vec3 place;
out vec3 normal;

void main() {
    float id = float(gl_VertexID), quad = floor((id + 0.5) / 6.0), corner = id - 6.0 * quad;
    float s = corner == 1.0 || corner == 2.0 || corner == 4.0 ? 1.0 : 0.0;
    float t = corner == 2.0 || corner == 4.0 || corner == 5.0 ? 1.0 : 0.0;
    float side = mod(quad, 2.0) < 0.5 ? -1.0 : 1.0; // far and near, left and right
    bool across = mod(quad, 4.0) < 1.5;
    vec2 h = half_sides;
    if (quad < 3.5) {
        vec2 low = across ? vec2(-reach, side < 0.0 ? -reach : h.y) : vec2(side < 0.0 ? -reach : h.x, -h.y);
        vec2 high = across ? vec2(reach, side < 0.0 ? -h.y : reach) : vec2(side < 0.0 ? -h.x : reach, h.y);
        vec2 on = mix(low, high, vec2(s, t));
        place = vec3(on.x, deck, on.y);
        normal = vec3(0.0, 1.0, 0.0);
    } else {
        bool inner = quad < 7.5;
        if (!inner) h = vec2(reach);
        float along = 2.0 * s - 1.0, y = inner ? mix(-depth, deck, t) : mix(deck, 1.5, t);
        place = across ? vec3(along * h.x, y, side * h.y) : vec3(side * h.x, y, along * h.y);
        normal = across ? vec3(0.0, 0.0, -side) : vec3(-side, 0.0, 0.0);
    }
    vec4 p = vec4(place, 1.0);
    gl_Position = vec4(dot(matrix_x, p), dot(matrix_y, p), dot(matrix_z, p), dot(matrix_w, p));
}
