// Formula:   share_j = v_j.s
// Inputs:    kept (the fields v_j, one below the other), s (packed 2x2); width and height of a field in texels, their number
// Domain and range: a texel for each field
// Edges:     none
// Reference: Parlett, The Symmetric Eigenvalue Problem, 1980, section 13.8
uniform Stream kept, s;
uniform vec3 field;
DOMAIN at;
RANGE float share;

void main() {
    float top = floor(at.x) * field.y + 0.5;
    vec4 sum = vec4(0.0);
    for (float y = 0.0; y < field.y; y += 1.0) {
        for (float x = 0.5; x < field.x; x += 1.0) {
            sum += value2(kept, vec2(x, top + y)) * value2(s, vec2(x, y + 0.5));
        }
    }
    share = dot(sum, vec4(1.0));
}
