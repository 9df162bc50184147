// Formula:   colour = palette[s], s = (u - low) / (high - low) or as much of a logarithm, u linear between nodes; lines, arrows (a, b)
// Inputs:    values u (width x height), palette (256 x 1), levels of u and parts of s that lines divide; with MASKED or ARROWS inside (mask, or 1x1); with ARROWS along a, up b (as u), longest (1x1)
// Domain and range: nodes of the picture, y upward -> the part of the target it fills; pixel: nodes a pixel
// Edges:     those of the stream; outside the mask and where u is no number: missing
// Reference: house
uniform Stream values, palette;
#if MASKED || ARROWS
uniform Stream inside;
#endif
uniform vec2 low_high, pixel;
uniform vec3 missing;
uniform float lines, cyclic;
uniform vec4 levels, more_levels;
#if LINES
uniform float parts;
#endif
#if ARROWS
uniform Stream along, up, longest;
uniform float between;
#endif
DOMAIN coords;
RANGE vec4 colour;

// u linear between the four nodes around a place; that of the nearest where one of them is no number, and where a phase jumps.
float between_nodes(vec2 place) {
    vec2 first = floor(place - 0.5) + 0.5;
    vec2 share = place - first;
    vec2 row = vec2(value2(values, first).x, value2(values, first + vec2(0.0, 1.0)).x);
    vec2 next = vec2(value2(values, first + vec2(1.0, 0.0)).x, value2(values, first + vec2(1.0, 1.0)).x);
    vec2 mean = mix(row, next, share.x);
    float u = mix(mean.x, mean.y, share.y);
    float span = max(max(row.x, row.y), max(next.x, next.y)) - min(min(row.x, row.y), min(next.x, next.y));
    bool jumps = cyclic > 0.0 && span > 0.5 * abs(low_high.y - low_high.x);
    return isnan(u) || jumps ? value2(values, floor(place) + 0.5).x : u;
}

#if MASKED
// The part of a pixel that lies inside: where several pixels are a node, its rim is the line along which a quadratic spline of the mask is 1/2.
float part_inside(vec2 place) {
    vec2 node = floor(place) + 0.5, off = place - node;
    if (pixel.x > 0.99) return step(0.5, value2(inside, node).x);
    vec2 low = 0.5 * (0.5 - off) * (0.5 - off), high = 0.5 * (0.5 + off) * (0.5 + off), middle = 1.0 - low - high;
    float sum = 0.0;
    for (int j = -1; j <= 1; j++) {
        float weight = j < 0 ? low.y : j > 0 ? high.y : middle.y;
        vec2 at = node + vec2(0.0, float(j));
        sum += weight * dot(vec3(low.x, middle.x, high.x),
            vec3(value2(inside, at - vec2(1.0, 0.0)).x, value2(inside, at).x, value2(inside, at + vec2(1.0, 0.0)).x));
    }
    return clamp(0.5 + (sum - 0.5) / (0.75 * pixel.x), 0.0, 1.0);
}
#endif

// The part of a pixel that a line two pixels wide covers, whose middle is so many pixels away.
float covered(float away) {
    return clamp(1.6 - away, 0.0, 1.0);
}

void main() {
    vec2 place = coords;
    float u = between_nodes(place);
    float shade = clamp(shareOf(u, low_high), 0.0, 1.0);
    vec3 rgb = value2(palette, vec2(floor(shade * 255.0 + 0.5) + 0.5, 0.5)).rgb;
#if LINES
    rgb = lined(rgb, parts * shareOf(u, low_high), parts);
#endif
    if (lines > 0.0) {
        // The change of u over half a pixel each way.
        vec2 slope = 0.5 * vec2(between_nodes(place + vec2(pixel.x, 0.0)) - between_nodes(place - vec2(pixel.x, 0.0)),
                                between_nodes(place + vec2(0.0, pixel.y)) - between_nodes(place - vec2(0.0, pixel.y)));
        float steep = length(slope), range = max(abs(low_high.y - low_high.x), 1e-30);
        // No line where u is even but for rounding: a whole plain that lies at a level would be one.
        float slopes = smoothstep(1e-6 * range, 4e-6 * range, steep);
        steep = max(steep, 1e-20);
        vec4 near = abs(u - levels) / steep;
        vec4 more = abs(u - more_levels) / steep;
        float nearest = near.x;
        nearest = lines > 1.0 ? min(nearest, near.y) : nearest;
        nearest = lines > 2.0 ? min(nearest, near.z) : nearest;
        nearest = lines > 3.0 ? min(nearest, near.w) : nearest;
        nearest = lines > 4.0 ? min(nearest, more.x) : nearest;
        nearest = lines > 5.0 ? min(nearest, more.y) : nearest;
        nearest = lines > 6.0 ? min(nearest, more.z) : nearest;
        nearest = lines > 7.0 ? min(nearest, more.w) : nearest;
        rgb = mix(rgb, vec3(1.0), 0.85 * slopes * covered(nearest));
    }
#if ARROWS
    vec2 middle = (floor(place / between) + 0.5) * between;
    vec2 arrow = vec2(value2(along, middle).x, value2(up, middle).x) / max(value0(longest).x, 1e-30);
    // A square whose middle lies outside the mask has an arrow of length 0.
    float size = value2(inside, middle).x < 0.5 ? 0.0 : 0.92 * between * length(arrow);
    vec2 way = normalize(arrow + vec2(1e-30, 0.0));
    vec2 away = place - middle;
    float ahead = dot(away, way), aside = abs(dot(away, vec2(-way.y, way.x)));
    float tip = 0.5 * size, head = 0.4 * size;
    float shaft = max(aside, abs(ahead + 0.5 * head) - (tip - 0.5 * head));
    float barb = max(aside - 0.5 * (tip - ahead), tip - head - ahead);
    float cover = max(covered(shaft / pixel.x), clamp(0.5 - barb / pixel.x, 0.0, 1.0));
    rgb = mix(rgb, vec3(1.0), size > 2.5 * pixel.x ? 0.9 * cover : 0.0);
#endif
    rgb = isnan(u) ? missing : rgb;
#if MASKED
    rgb = mix(missing, rgb, part_inside(place));
#endif
    colour = vec4(rgb, 1.0);
}
