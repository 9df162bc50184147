// A vertex kernel scatters: it sends its vertex to any element of the range.
uniform vec2 scatter_range; // width and height of the target

// Draws this vertex as a point on element (column, row) of the target, at its texel's centre.
void scatter(vec2 element) {
    gl_Position = vec4((element + 0.5) * 2.0 / scatter_range - 1.0, 0.0, 1.0);
    gl_PointSize = 1.0;
}

// A vertex that is to write nothing: outside the clip volume.
void scatter_nowhere() {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    gl_PointSize = 1.0;
}
