// Formula:   items as lines in the colours of their numbers, partners of an exchange as wires between their lines; the last pass lies on a band
// Inputs:    columns (n x 1: lines of a block, first and last line that are joined in it, pass), history (passes + 1 x lines), palette (256 x 1), cell (pixels of a column and of a line), low_high (numbers of the first and of the last colour), done (passes), there (lines that do not pad)
// Domain and range: the drawing in pixels -> the part of the target that it fills
// Edges:     clamp
// Reference: Batcher, Sorting Networks and Their Applications, 1968
uniform Stream columns, history, palette;
uniform vec2 cell, low_high;
uniform float done, there;
DOMAIN at;
RANGE vec4 colour;

const vec3 GROUND = vec3(0.05, 0.06, 0.08), BAND = vec3(0.16, 0.18, 0.24), UNKNOWN = vec3(0.2, 0.21, 0.23);
const vec3 PAST = vec3(0.6, 0.62, 0.66), NOW = vec3(1.0), COMING = vec3(0.34, 0.36, 0.4);

void main() {
    vec2 place = at / cell;
    vec4 joined = value2(columns, vec2(place.x, 0.5));
    float ahead = joined.w - done;
    vec3 shown = ahead == 0.0 ? BAND : GROUND;
    vec2 off = abs(fract(place) - 0.5) * cell;
    if (off.y < 0.3 * cell.y) {
        // As the numbers were before the pass of this column.
        float number = value2(history, vec2(joined.w - 0.5, place.y)).x;
        float shade = clamp((number - low_high.x) / (low_high.y - low_high.x), 0.0, 1.0);
        vec3 known = value2(palette, vec2(shade * 255.0 + 0.5, 0.5)).rgb;
        shown = ahead > 1.0 || place.y > there ? UNKNOWN : known;
    }
    float line = mod(place.y, joined.x) - 0.5;
    float end = min(abs(line - joined.y), abs(line - joined.z)) * cell.y;
    bool wire = off.x < 0.1 * cell.x && line > joined.y && line < joined.z;
    if (wire || length(vec2(off.x, end)) < 0.27 * cell.x) {
        shown = ahead > 0.0 ? COMING : ahead < 0.0 ? PAST : NOW;
    }
    colour = vec4(shown, 1.0);
}
