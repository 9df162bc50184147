// Formula:   light = colour (sky and ground + sun max(n.k, 0)) + glint, n of the triangle by derivatives, or of its vertices (ROUND); edges darker
// Inputs:    place, across, curvature from faces_place; eye, key; gentle (a curvature half-way up the colours); SHADOWED: shadows (R = depth), light_x y z, offset; GROUND: place, away from ground_place, opened (R = open part of the sky), reach, fading
// Domain and range: the triangles of the mesh, or with GROUND of the ground -> linear light, in alpha how much is covered
// Edges:     both sides of a triangle are lit; the nearest texel of both maps
// Reference: Blinn, 1977 (the glint); Phong, 1975 (normals between vertices); Reeves, Salesin & Cook, 1987 (soft edges of shadows)
uniform vec3 key;
#if CURVED
uniform float gentle;
#endif
#if GROUND
in vec3 place;
in vec2 away;
#else
uniform vec3 eye;
in vec3 place, across;
in float curvature;
#endif
#if ROUND
in vec3 normal;
#endif
RANGE vec4 light;

const vec3 SUN = vec3(1.05, 0.98, 0.86), SKY = vec3(0.30, 0.36, 0.46), EARTH = vec3(0.13, 0.11, 0.10);

// The weights of a quadratic B-spline.
vec3 weights(float part) {
    return vec3(0.5 * (0.5 - part) * (0.5 - part), 0.75 - part * part, 0.5 * (0.5 + part) * (0.5 + part));
}

#if SHADOWED
uniform Stream shadows;
uniform vec4 light_x, light_y, light_z;
uniform float offset; // along the normal, so that a surface does not shade itself

// The part of the nine texels around the place that the light reaches.
float lit_part(vec3 normal) {
    vec4 p = vec4(place + offset * normal, 1.0);
    vec3 light_place = vec3(dot(light_x, p), dot(light_y, p), dot(light_z, p));
    vec2 at = (light_place.xy * 0.5 + 0.5) * shadows.extent.xy, middle = floor(at) + 0.5;
    vec3 columns = weights(at.x - middle.x), rows = weights(at.y - middle.y);
    float lit = 0.0;
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) {
            float stored = value2(shadows, middle + vec2(float(i) - 1.0, float(j) - 1.0)).x;
            lit += columns[i] * rows[j] * step(light_place.z, stored);
        }
    }
    return lit;
}
#endif

#if GROUND
uniform Stream opened;
uniform float reach;  // half a side of its square, around the middle
uniform float fading; // where there is no ground any more

float open_part() {
    vec2 at = (0.5 - 0.5 * away / reach) * opened.extent.xy, middle = floor(at) + 0.5;
    vec3 columns = weights(at.x - middle.x), rows = weights(at.y - middle.y);
    float open = 0.0;
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) {
            open += columns[i] * rows[j] * value2(opened, middle + vec2(float(i) - 1.0, float(j) - 1.0)).x;
        }
    }
    return mix(open, 1.0, smoothstep(0.75, 1.0, max(abs(away.x), abs(away.y)) / reach));
}

vec4 seen() {
    const vec3 UP = vec3(0.0, 1.0, 0.0);
    float cover = 1.0 - smoothstep(0.06, 0.9, length(away) / fading);
    return vec4(cover * vec3(0.20, 0.21, 0.23) * (SKY * open_part() + lit_part(UP) * key.y * SUN), cover);
}
#else

// From flat to sharp: blue, bone, rust.
vec3 painted() {
#if CURVED
    float sharp = 2.0 * curvature / (curvature + gentle);
    vec3 low = mix(vec3(0.05, 0.16, 0.42), vec3(0.62, 0.60, 0.54), min(sharp, 1.0));
    return mix(low, vec3(0.62, 0.07, 0.02), max(sharp - 1.0, 0.0));
#else
    return vec3(0.58, 0.55, 0.49);
#endif
}

vec4 seen() {
    vec3 n = cross(dFdx(place), dFdy(place)), to_eye = normalize(eye - place);
    n *= inversesqrt(max(dot(n, n), 1e-30));
    n *= dot(n, to_eye) < 0.0 ? -1.0 : 1.0;
#if ROUND
    // Sharp edges stay sharp: where the vertices' normal is far from the triangle's, the triangle's is taken.
    vec3 rounded = normal * inversesqrt(max(dot(normal, normal), 1e-12));
    rounded *= dot(rounded, n) < 0.0 ? -1.0 : 1.0;
    n = normalize(mix(n, rounded, smoothstep(0.72, 0.92, dot(rounded, n))));
#endif
    float sun = 1.0;
#if SHADOWED
    sun = smoothstep(0.0, 0.3, dot(n, key)) * lit_part(n);
#endif
    vec3 colour = painted();
#if WIRE
    vec3 pixels = across / max(fwidth(across), 1e-6);
    colour *= mix(0.12, 1.0, smoothstep(0.5, 1.6, min(pixels.x, min(pixels.y, pixels.z))));
#endif
    float glint = 0.10 * sun * pow(max(dot(n, normalize(key + to_eye)), 0.0), 30.0);
    vec3 ambient = mix(EARTH, SKY, 0.5 + 0.5 * n.y);
    vec4 lit = vec4(colour * (ambient + sun * SUN * max(dot(n, key), 0.0)) + glint * SUN, 1.0);
#if ROUND
    // The sky behind shines at the rim.
    lit.rgb += 0.35 * SKY * pow(1.0 - max(dot(n, to_eye), 0.0), 3.0);
#endif
    return lit;
}
#endif

void main() {
    light = seen();
}
