// Formula:   result[i] = sum over d in {-1, 0, 1}^2 of A^d[i] x[i + d], in all four quadrants at once
// Inputs:    x, and the nine entries from d = (-1, -1) row by row to (1, 1) (quadrants)
// Domain and range: the texels inside the border
// Edges:     x has its neighbours across the seam in its border, and 0 off the grid; an entry of 0 takes no part
// Reference: Bolz et al. 2003, 4.2, Matrix Vector Multiply: 18 fetches
uniform Stream x;
uniform Stream south_west, south, south_east, west, centre, east, north_west, north, north_east;
DOMAIN at;
RANGE vec4 result;

vec4 term(vec4 entry, vec4 elements) {
    return mix(entry * elements, vec4(0.0), equal(entry, vec4(0.0)));
}

void main() {
    vec4 sum = term(value2(south_west, at), valueOffset(x, at, ivec2(-1, -1)));
    sum += term(value2(south, at), valueOffset(x, at, ivec2(0, -1)));
    sum += term(value2(south_east, at), valueOffset(x, at, ivec2(1, -1)));
    sum += term(value2(west, at), valueOffset(x, at, ivec2(-1, 0)));
    sum += term(value2(centre, at), value2(x, at));
    sum += term(value2(east, at), valueOffset(x, at, ivec2(1, 0)));
    sum += term(value2(north_west, at), valueOffset(x, at, ivec2(-1, 1)));
    sum += term(value2(north, at), valueOffset(x, at, ivec2(0, 1)));
    sum += term(value2(north_east, at), valueOffset(x, at, ivec2(1, 1)));
    result = sum;
}
