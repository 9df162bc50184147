// The full-screen quad, as the one triangle that covers it: corners (0,0), (2,0), (0,2) of the range,
// of which the viewport keeps the unit square. Drawn without vertex buffers.
uniform vec4 quad_rects[RECTS]; // x0, y0, x1, y1 of each domain: in texels, or in units of a stream's size
uniform float quad_depth;       // 0 near to 1 far, for the depth test
DECLARE_VARYINGS

#define quad_corner vec2(float((gl_VertexID & 1) << 1), float(gl_VertexID & 2))

vec2 quad_across(vec4 rect) {
    return rect.xy + quad_corner * (rect.zw - rect.xy);
}

void main() {
    SET_VARYINGS
    gl_Position = vec4(quad_corner * 2.0 - 1.0, quad_depth * 2.0 - 1.0, 1.0);
}
