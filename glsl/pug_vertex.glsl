// A vertex kernel scatters: it sends its vertex to any element of the target.
uniform vec2 scatter_range; // width and height of the target

// Draws this vertex as a point on the texel of the target in which a position lies: in texels, centres at n + 1/2, as in the
// words that fetch. A position outside the target writes nothing.
void scatter(vec2 position) {
    gl_Position = vec4((floor(position) + 0.5) * 2.0 / scatter_range - 1.0, 0.0, 1.0);
    gl_PointSize = 1.0;
}

// A vertex that is to write nothing: outside the clip volume.
void scatter_nowhere() {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    gl_PointSize = 1.0;
}
