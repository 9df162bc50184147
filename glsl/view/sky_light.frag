// Formula:   q_c, and optical depths k sum of q_c ds, towards the sun and, the mean of three ways, towards the sky
// Inputs:    air (b: q_c); counts of cells; periodic (1 or 0 for each axis); sun (a unit of the way to it); stride (cells); depth (k h)
// Domain and range: all cells; x: q_c, y: to the sun, z: to the sky
// Edges:     nothing above the box; beside it the nearest cell, or around
// Reference: Harris & Lastra, Real-Time Cloud Rendering, 2001 (shadows in a first pass)
uniform Stream air;
uniform vec2 counts, periodic, sun;
uniform float stride, depth;
DOMAIN at;
RANGE vec3 clouds;

const int TO_SUN = 64, TO_SKY = 16;

// Cloud water a way off the middle of a cell.
float cloudAt(vec2 cell, vec2 way) {
    float inside = step(cell.y + way.y, counts.y - 0.5);
    return inside * betweenFour(aroundPlace(air, cell, way, counts, periodic)).z;
}

void main() {
    vec2 cell = floor(at);
    float lit = 0.0, open = 0.0;
    for (int i = 0; i < TO_SUN; i++) {
        lit += cloudAt(cell, (float(i) + 0.5) * stride * sun);
    }
    for (int i = 0; i < TO_SKY; i++) {
        float far = (float(i) + 0.5) * 2.0 * stride;
        open += cloudAt(cell, vec2(0.0, far)) + cloudAt(cell, vec2(-0.7, 0.7) * far) + cloudAt(cell, vec2(0.7) * far);
    }
    clouds = vec3(value2(air, at).z, depth * stride * vec2(lit, open * (2.0 / 3.0)));
}
