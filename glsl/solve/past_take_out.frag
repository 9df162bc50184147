// Formula:   s - sum over j of share_j v_j, or s itself where the step was 0
// Inputs:    kept (the fields v_j, one below the other), s (packed 2x2), shares, step length (1x1); width and height of a field, number
// Domain and range: all texels of s
// Edges:     none
// Reference: Parlett, The Symmetric Eigenvalue Problem, 1980, section 13.8
uniform Stream kept, s, shares, step_length;
uniform vec3 field;
DOMAIN at;
RANGE vec4 next;

void main() {
    vec4 sum = vec4(0.0);
    for (float j = 0.0; j < field.z; j += 1.0) {
        sum += value2(shares, vec2(j + 0.5, 0.5)).x * value2(kept, at + vec2(0.0, j * field.y));
    }
    // A direction that rests is among those that are kept: nothing would be left of it.
    next = value0(step_length).x == 0.0 ? value2(s, at) : value2(s, at) - sum;
}
