// Formula:   result = x, and `padding` where the layout holds no element
// Inputs:    x (packed 2x2), bounds (columns, rows and length of the last row of the field)
// Domain and range: twice the texels: at = column + 1, row + 1 of the texel's first element -> all texels
// Edges:     none
// Reference: Bolz et al., Sparse Matrix Solvers on the GPU, 3.4: padding holds the identity of what reads it
uniform Stream x;
uniform vec3 bounds;
uniform float padding;
DOMAIN at;
DOMAIN field;
RANGE vec4 result;

void main() {
    vec4 column = field.x + vec4(-0.5, 0.5, -0.5, 0.5), row = field.y + vec4(-0.5, -0.5, 0.5, 0.5);
    vec4 ends = mix(vec4(bounds.x), vec4(bounds.z), greaterThan(row, vec4(bounds.y - 1.0)));
    vec4 inside = vec4(lessThan(column, ends)) * vec4(lessThan(row, vec4(bounds.y)));
    result = mix(vec4(padding), value2(x, at), greaterThan(inside, vec4(0.0)));
}
