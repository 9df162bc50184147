// Formula:   light = colour (sky and ground + sun max(n.k, 0)) + glint, n of the triangle by derivatives, or of its vertices (ROUND); edges darker
// Inputs:    place, across, curvature from faces_place; eye, key; gentle (a curvature half-way up the colours)
// Domain and range: the triangles of the mesh -> linear light, with 1 in alpha
// Edges:     both sides of a triangle are lit
// Reference: Blinn, 1977 (the glint); Phong, 1975 (normals between vertices)
uniform vec3 eye, key;
#if CURVED
uniform float gentle;
#endif
in vec3 place, across;
in float curvature;
#if ROUND
in vec3 normal;
#endif
RANGE vec4 light;

const vec3 SUN = vec3(1.05, 0.98, 0.86), SKY = vec3(0.30, 0.36, 0.46), EARTH = vec3(0.13, 0.11, 0.10);

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

void main() {
    vec3 n = cross(dFdx(place), dFdy(place)), to_eye = normalize(eye - place);
    n *= inversesqrt(max(dot(n, n), 1e-30));
    n *= dot(n, to_eye) < 0.0 ? -1.0 : 1.0;
#if ROUND
    // Sharp edges stay sharp: where the vertices' normal is far from the triangle's, the triangle's is taken.
    vec3 rounded = normal * inversesqrt(max(dot(normal, normal), 1e-12));
    rounded *= dot(rounded, n) < 0.0 ? -1.0 : 1.0;
    n = normalize(mix(n, rounded, smoothstep(0.72, 0.92, dot(rounded, n))));
#endif
    vec3 colour = painted();
#if WIRE
    vec3 pixels = across / max(fwidth(across), 1e-6);
    colour *= mix(0.12, 1.0, smoothstep(0.5, 1.6, min(pixels.x, min(pixels.y, pixels.z))));
#endif
    float glint = 0.10 * pow(max(dot(n, normalize(key + to_eye)), 0.0), 30.0);
    vec3 ambient = mix(EARTH, SKY, 0.5 + 0.5 * n.y);
    light = vec4(colour * (ambient + SUN * max(dot(n, key), 0.0)) + glint * SUN, 1.0);
#if ROUND
    // The sky behind shines at the rim.
    light.rgb += 0.35 * SKY * pow(1.0 - max(dot(n, to_eye), 0.0), 3.0);
#endif
}
