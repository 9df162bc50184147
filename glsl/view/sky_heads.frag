// Formula:   a head of cloud in each element of a lattice, somewhere in it: its radius is MOST s^(1/4) sides, s = smoothstep(q), q the cloud water there, or that of the slice lower above the level and aside
// Inputs:    clouds (x: q_c); counts of cells; periodic (1 or 0 for each axis); lattice (elements across and up); drift (cells that it has moved to the east); level (of condensation, cells; below 0: none); seed (other heads)
// Domain and range: all elements -> place in the element (0 to 1), radius in its sides, s
// Edges:     the nearest cell; a periodic axis wraps around
// Reference: Harris & Lastra, Real-Time Cloud Rendering, 2001 (clouds as particles); Worley, A Cellular Texture Basis Function, 1996
uniform Stream clouds;
uniform vec2 counts, periodic, lattice;
uniform float drift, level, seed;
DOMAIN at;
RANGE vec4 head;

// A head of all this water or more is whole, and one of less than THIN is none.
const float THIN = 1.5e-5, WHOLE = 3.5e-4, MOST = 1.12;

float waterAt(vec2 p) {
    return betweenFour(aroundPlace(clouds, vec2(0.0), p - 0.5, counts, periodic)).x;
}

// Whole numbers below 289 again, all of them once.
float mixed(float number) {
    return mod((34.0 * number + 1.0) * number, 289.0);
}

// Three numbers from 0 to 1 of an element.
vec3 chance(vec2 element) {
    float first = mixed(mixed(mixed(mod(element.x, 289.0)) + element.y + 17.0 * seed)), second = mixed(first + 5.0);
    return vec3(first, second, mixed(second + 11.0)) / 288.0;
}

void main() {
    vec2 element = floor(at);
    vec3 chances = chance(element);
    vec2 within = 0.14 + 0.72 * chances.xy, middle = (element + within) * counts / lattice + vec2(drift, 0.0);
    float water = waterAt(middle), above = middle.y - level;
    if (level >= 0.0 && above > 0.0) {
        water = max(water, waterAt(middle + vec2(0.18 * level, 0.5 * above)));
        water = max(water, waterAt(middle + vec2(-0.2 * level, 1.4 * above)));
    }
    float share = smoothstep(THIN, WHOLE, water);
    head = vec4(within, MOST * (0.7 + 0.3 * chances.z) * sqrt(sqrt(share)), share);
}
