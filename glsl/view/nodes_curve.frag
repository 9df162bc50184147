// Formula:   the curve y = u(x) of a row, linear between nodes, coloured by palette[(u - low) / (high - low)]; behind it earlier rows
// Inputs:    rows (width x count, a row a moment), palette (256 x 1), row (the newest), apart (rows between two curves), earlier (how many)
// Domain and range: (x in nodes, y from 0 to 1 upward) -> the part of the target it fills; pixel: the same of a pixel
// Edges:     ends of the row are the ends of the picture; y = 0 and 1 lie a margin away from its edges
// Reference: house
uniform Stream rows, palette;
uniform vec2 low_high, pixel;
uniform float row, apart, earlier, tick;
DOMAIN coords;
RANGE vec4 colour;

const float MARGIN = 0.06;

// u of a row, linear between nodes.
float at(float x, float y) {
    float place = clamp(x, 0.5, rows.extent.x - 0.5) - 0.5;
    float first = min(floor(place), rows.extent.x - 2.0);
    float u = value2(rows, vec2(first + 0.5, y)).x;
    return mix(u, value2(rows, vec2(first + 1.5, y)).x, place - first);
}

// Height of a value in the picture.
float height(float u) {
    return mix(MARGIN, 1.0 - MARGIN, (u - low_high.x) / (low_high.y - low_high.x));
}

// The part of the pixel that a curve covers: its heights over the width of the pixel, and as much more as it is thick.
float curve(float y, float thick) {
    vec3 u = vec3(height(at(coords.x - 0.5 * pixel.x, y)), height(at(coords.x, y)), height(at(coords.x + 0.5 * pixel.x, y)));
    float low = min(u.x, min(u.y, u.z)) - thick * pixel.y;
    float high = max(u.x, max(u.y, u.z)) + thick * pixel.y;
    float covered = min(coords.y + 0.5 * pixel.y, high) - max(coords.y - 0.5 * pixel.y, low);
    return isnan(u.y) ? 0.0 : clamp(covered / pixel.y, 0.0, 1.0);
}

vec3 shade(float u) {
    float share = clamp((u - low_high.x) / (low_high.y - low_high.x), 0.0, 1.0);
    return value2(palette, vec2(share * 255.0 + 0.5, 0.5)).rgb;
}

void main() {
    vec3 rgb = vec3(0.075, 0.08, 0.095);
    float here = low_high.x + (coords.y - MARGIN) / (1.0 - 2.0 * MARGIN) * (low_high.y - low_high.x);
    // Lines at every tick, that of 0 brighter.
    float step_up = pixel.y / (1.0 - 2.0 * MARGIN) * (low_high.y - low_high.x);
    float line = abs(here - tick * floor(here / tick + 0.5));
    rgb += line < 0.5 * step_up ? (abs(here) < 0.5 * step_up ? 0.22 : 0.07) : 0.0;
    float newest = row + 0.5;
    float u = at(coords.x, newest);
    float base = clamp(0.0, low_high.x, low_high.y);
    if ((here - base) * (here - u) < 0.0) {
        rgb = mix(rgb, shade(here), 0.35);
    }
    for (int n = 6; n >= 1; n--) {
        if (float(n) <= earlier) {
            rgb = mix(rgb, vec3(0.62, 0.66, 0.72), (0.62 - 0.09 * float(n)) * curve(newest - apart * float(n), 0.5));
        }
    }
    rgb = mix(rgb, mix(shade(u), vec3(1.0), 0.45), curve(newest, 1.1));
    colour = vec4(rgb, 1.0);
}
