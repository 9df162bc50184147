// Formula:   q1(x) = q(x - d), d = dt u(x); CORRECT: q'(x) = q1(x) + w (q(x) - q1(x + d)) / 2, within the four around x - d
// Inputs:    velocity (STAGGERED: u on west, v on south faces); SCALAR, OTHER: field, a scalar or a velocity, else the velocity is moved itself; CORRECT: first, q1; SOLIDS: open (fluid_open.frag); cells of the box; periodic: 1 or 0 for each axis; way = dt / spacing
// Domain and range: all elements of what is moved; in solids and at their faces it stays as it is
// Edges:     the nearest element; a periodic axis wraps around; paths end at solids; w falls to 0 where a cell of d is cut off
// Reference: Bolz et al., section 4.1.1; Stam, Stable Fluids, 1999; Selle et al., An Unconditionally Stable MacCormack Method, 2008
uniform Stream velocity;
#if SCALAR || OTHER
uniform Stream field;
#define quantity field
#else
#define quantity velocity
#endif
#if CORRECT
uniform Stream first;
#endif
#if SOLIDS
uniform Stream open;
#endif
uniform vec2 cells, periodic;
uniform float way;
DOMAIN at;
RANGE vec4 moved;

#if STAGGERED
float uAt(vec2 face) {
    return value2(velocity, elementOf(face, countsOf(OF_U, cells, periodic), periodic) + 0.5).x;
}

float vAt(vec2 face) {
    return value2(velocity, elementOf(face, countsOf(OF_V, cells, periodic), periodic) + 0.5).y;
}
#endif

// As much of a way as no solid cuts off.
vec2 wayFrom(vec2 element, vec2 start, vec2 whole, bool clear) {
#if SOLIDS
    if (!clear) {
        return openWay(open, element, start, whole, countsOf(OF_CENTRE, cells, periodic), periodic);
    }
#endif
    return whole;
}

// The values around the end of a way without those of solids; `number` is that of `open` which knows of solids among such elements.
// It takes values and no stream: Chromium 156 crashes over a function of a stream that hands another one on.
Around onlyOpenOf(Around four, vec2 element, vec2 there, vec2 counts, vec3 number, bool clear) {
#if SOLIDS
    if (!clear) {
        four = withoutSolids(four, open, number, element, there, counts, periodic);
    }
#endif
    return four;
}

// How far a way leads beyond the box or was cut off, the longer along an axis.
float cutOff(vec2 element, vec2 start, vec2 whole, vec2 there) {
    vec2 end = element + start - CORNER + there;
    vec2 beyond = (1.0 - periodic) * max(max(-end, end - cells), 0.0) + abs(whole - there);
    return max(beyond.x, beyond.y);
}

// The new value of an element that `d` crosses.
vec4 carried(vec2 element, vec2 start, vec2 d, vec3 number) {
    vec4 here = value2(quantity, at);
    bool clear = true;
#if SOLIDS
    vec4 sides = value2(open, at);
    if (dot(sides.xyz, number) < 0.75) {
        return here;
    }
    clear = isClear(d, sides.w);
#endif
    vec2 back = wayFrom(element, start, -d, clear);
    vec2 counts = countsOf(start, cells, periodic);
    Around behind = aroundPlace(quantity, element, back, counts, periodic);
    behind = onlyOpenOf(behind, element, back, counts, number, clear);
    vec4 value = betweenFour(behind);
#if CORRECT
    vec2 forth = wayFrom(element, start, d, clear);
    Around ahead = aroundPlace(first, element, forth, counts, periodic);
    vec4 error = here - betweenFour(onlyOpenOf(ahead, element, forth, counts, number, clear));
    float cut = max(cutOff(element, start, -d, back), cutOff(element, start, d, forth));
    value += 0.5 * max(1.0 - cut, 0.0) * error;
    value = clamp(value, leastOf(behind), mostOf(behind));
#endif
    return value;
}

void main() {
    vec2 element = floor(at);
#if STAGGERED
    const vec2 X = vec2(1.0, 0.0), Y = vec2(0.0, 1.0);
#if SCALAR
    vec2 speed = 0.5 * vec2(uAt(element) + uAt(element + X), vAt(element) + vAt(element + Y));
    moved = carried(element, OF_CENTRE, way * speed, vec3(0.0, 0.0, 1.0));
#else
    float v = 0.25 * (vAt(element - X) + vAt(element) + vAt(element - X + Y) + vAt(element + Y));
    float u = 0.25 * (uAt(element - Y) + uAt(element) + uAt(element - Y + X) + uAt(element + X));
    float newU = carried(element, OF_U, way * vec2(uAt(element), v), vec3(1.0, 0.0, 0.0)).x;
    float newV = carried(element, OF_V, way * vec2(u, vAt(element)), vec3(0.0, 1.0, 0.0)).y;
    moved = vec4(newU, newV, 0.0, 0.0);
#endif
#else
    moved = carried(element, OF_CENTRE, way * value2(velocity, at).xy, vec3(0.0, 0.0, 1.0));
#endif
}
