// Formula:   next = value scale + shift, that many times over: OPERATIONS is R0 or a power of two up to R256
// Inputs:    values (width x height, four components), or, with NO_FETCH, numbers made of the place; scale, shift
// Domain and range: the whole texture
// Edges:     none
// Reference: Harris, Mapping Computational Concepts to GPUs, 31.1.1 (arithmetic intensity)
uniform Stream values;
uniform float scale, shift;
DOMAIN coords;
RANGE vec4 next;

#ifndef OPERATIONS
#define OPERATIONS R1
#endif

// Doublings instead of a loop, which would cost more than what is in it.
#define R0
#define R1 value = value * scale + shift;
#define R2 R1 R1
#define R4 R2 R2
#define R8 R4 R4
#define R16 R8 R8
#define R32 R16 R16
#define R64 R32 R32
#define R128 R64 R64
#define R256 R128 R128

void main() {
#ifdef NO_FETCH
    vec4 value = fract(0.0078125 * coords.xyxy * vec4(1.0, 1.0, 0.5, 0.5));
#else
    vec4 value = value2(values, coords);
#endif
    OPERATIONS
    next = value;
}
