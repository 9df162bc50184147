// Formula:   colour = palette[s], s = (v - low) / (high - low) or as much of a logarithm, v = dot(channels, element); TINT: colour = s tint, pale as much as it is beyond 1; lines of equal s; OVER: mix(min(y, 1) colour + max(y - 1, 0), over, z); RELIEF: lit as the surface of height relief s; BLOCKS: NaN as lit blocks
// Inputs:    picture (width x height, any components; OVER: y = light, z = share of `over`), palette (256 x 1, RGB), tint (of the first columns and rows, RGB of brightness 1), channels, low_high, missing (of NaN), lines, relief (elements)
// Domain and range: the part of the picture shown -> the part of the target it fills
// Edges:     clamp
// Reference: house
uniform Stream picture, palette;
uniform vec4 channels;
uniform vec2 low_high;
uniform vec3 missing;
#if TINT
uniform Stream tint;
#endif
#if LINES
uniform float lines;
#endif
#if OVER
uniform vec3 over;
#endif
#if RELIEF
uniform float relief;
#endif
DOMAIN coords;
RANGE vec4 colour;

// The number that is shown, and what lies over its colour.
vec3 shown(vec2 place) {
    vec4 element = value2(picture, place);
    // A component that is not shown may be NaN or Inf, and 0 times that is NaN.
    return vec3(dot(channels, mix(vec4(0.0), element, notEqual(channels, vec4(0.0)))), element.yz);
}

#if SMOOTH || LINES
// Between the middles of the four elements around a place; at the edges the nearest.
vec3 between(vec2 place) {
    vec2 at = clamp(place, vec2(0.5), picture.extent.xy - 0.5), low = floor(at - 0.5) + 0.5, part = at - low;
    vec2 far = min(low + 1.0, picture.extent.xy - 0.5);
    vec3 south = mix(shown(low), shown(vec2(far.x, low.y)), part.x);
    vec3 north = mix(shown(vec2(low.x, far.y)), shown(far), part.x);
    return mix(south, north, part.y);
}
#endif

#if RELIEF || BLOCKS
#if BLOCKS
#define REACH 2
#else
#define REACH 1
#endif
// Towards a light at the upper left, where the y axis points down.
const vec3 LIGHT = vec3(-0.48, -0.60, 0.64);

// (1, d/dx, d/dy) of the numbers around a place by a quadratic B-spline of the nine nearest elements, and the share of these that is
// no number; BLOCKS: in `hole` the same of what is no number within 2.5 elements.
float around(vec2 place, out vec3 number, out vec3 hole) {
    vec2 at = clamp(place, vec2(0.5), picture.extent.xy - 0.5), middle = floor(at) + 0.5, off = at - middle;
    vec3 wide = vec3(0.0), all = vec3(0.0);
    number = vec3(0.0);
    hole = vec3(0.0);
    for (int j = -REACH; j <= REACH; ++j) {
        for (int i = -REACH; i <= REACH; ++i) {
            vec2 to = vec2(float(i), float(j)), way = to - off, far = max(1.5 - abs(way), 0.0);
            float here = shown(clamp(middle + to, vec2(0.5), picture.extent.xy - 0.5)).x;
            vec2 weight = mix(0.5 * far * far, 0.75 - off * off, equal(to, vec2(0.0)));
            vec2 slope = mix(sign(to) * far, -2.0 * off, equal(to, vec2(0.0)));
            vec3 share = vec3(weight.x * weight.y, slope.x * weight.y, weight.x * slope.y);
            bool gone = isnan(here);
            number += gone ? vec3(0.0) : share * here;
            all += gone ? vec3(0.0) : share;
#if BLOCKS
            float inside = max(1.0 - dot(way, way) / 6.25, 0.0);
            vec3 bell = vec3(inside * inside, 0.64 * inside * way);
            wide += bell;
            hole += gone ? bell : vec3(0.0);
#endif
        }
    }
    // The mean of the numbers that there are.
    number /= max(all.x, 1e-6);
    number.yz -= number.x * all.yz / max(all.x, 1e-6);
#if BLOCKS
    hole /= wide.x;
    hole.yz -= hole.x * wide.yz / wide.x;
#endif
    return 1.0 - all.x;
}

// A colour in sRGB under that light, on a surface that rises by `slope` an element; level ones stay as they are.
vec3 lit(vec3 rgb, vec2 slope, float gloss) {
    vec3 normal = normalize(vec3(-slope, 1.0)), halfway = normalize(LIGHT + vec3(0.0, 0.0, 1.0));
    float light = max(dot(normal, LIGHT), 0.0) / LIGHT.z, shine = max(dot(normal, halfway), 0.0);
    vec3 linear = pow(rgb, vec3(2.2)) * (0.3 + 0.7 * light);
    linear += gloss * (0.6 * (pow(shine, 60.0) - pow(halfway.z, 60.0)) + 0.12 * (pow(shine, 12.0) - pow(halfway.z, 12.0)));
    return pow(max(linear, 0.0), vec3(1.0 / 2.2));
}
#endif

#if TINT
// The colour of that brightness, 0 to 1, with the hue of `hue`; mixed with grey as far as no part of it is beyond 1.
vec3 tinted(float bright, vec3 hue) {
    float most = bright * max(hue.r, max(hue.g, hue.b));
    float kept = most > 1.0 ? (1.0 - bright) / (most - bright) : 1.0;
    return bright + kept * bright * (hue - 1.0);
}
#endif

void main() {
    vec3 amount = shown(coords);
#if RELIEF || BLOCKS
    vec3 number, hole;
    float gone = around(coords, number, hole);
    vec3 smoothed = vec3(number.x, amount.yz);
    amount.x = isnan(amount.x) && gone < 1.0 ? number.x : amount.x;
#elif SMOOTH || LINES
    vec3 smoothed = between(coords);
#endif
#if SMOOTH
    // Beside what is no number an element is a square.
    amount = isnan(smoothed.x) ? amount : smoothed;
#endif
    float shade = clamp(shareOf(amount.x, low_high), 0.0, 1.0);
    vec3 rgb = value2(palette, vec2(shade * 255.0 + 0.5, 0.5)).rgb;
#if TINT
    if (coords.x < tint.extent.x && coords.y < tint.extent.y) {
        rgb = tinted(shade, value2(tint, coords).rgb);
    }
#endif
#if LINES
    rgb = lined(rgb, lines * shareOf(smoothed.x, low_high), lines);
#endif
#if RELIEF
    // Low places have no gloss.
    rgb = lit(rgb, relief * number.yz / (low_high.y - low_high.x), smoothstep(0.05, 0.6, shade));
#endif
#if BLOCKS
    // A block rises where no number is what lies around for the most part, or of thin ones within a smaller reach; its shadow falls to the lower right.
    float block = max(hole.x - 0.46, gone - 0.54), edge = 0.6 * length(vec2(dFdx(block), dFdy(block)));
    rgb *= 1.0 - 0.5 * clamp(2.2 * dot(hole.yz, LIGHT.xy), 0.0, 1.0);
    rgb = mix(rgb, lit(missing, 2.2 * hole.yz, 0.5), clamp(block / max(edge, 1e-4) + 0.5, 0.0, 1.0));
#else
    rgb = isnan(amount.x) ? missing : rgb;
#endif
#if OVER
    rgb = mix(min(amount.y, 1.0) * rgb + max(amount.y - 1.0, 0.0), over, amount.z);
#endif
    colour = vec4(rgb, 1.0);
}
