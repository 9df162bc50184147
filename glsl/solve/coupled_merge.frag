// Formula:   next = u + change, change = sum over k of column_k y_k; CONSERVE: less what its sum over all cells is; GIVEN: r where V is 0
// Inputs:    u, r (a node a texel, a field a channel), y_k, V (packed 2x2), columns; CONSERVE: sums of V y_k, a texel each, and 1 over that of V or 0
// Domain and range: half a node's place, which lies in its texel; all nodes -> these
// Edges:     none
// Reference: Golub & Van Loan, Matrix Computations, 7.7 (Z y of a generalised Schur form)
uniform Stream u;
uniform Stream y0;
#if COUNT > 1
uniform Stream y1;
#endif
#if COUNT > 2
uniform Stream y2;
#endif
#if COUNT > 3
uniform Stream y3;
#endif
#if COUNT > 4
uniform Stream y4;
#endif
#if COUNT > 5
uniform Stream y5;
#endif
#if COUNT > 6
uniform Stream y6;
#endif
#if COUNT > 7
uniform Stream y7;
#endif
#if CONSERVE
uniform Stream sums;
#endif
#if GIVEN
uniform Stream r, volume;
#endif
uniform vec4 column0;
#if COUNT > 1
uniform vec4 column1;
#endif
#if COUNT > 2
uniform vec4 column2;
#endif
#if COUNT > 3
uniform vec4 column3;
#endif
#if COUNT > 4
uniform vec4 column4;
#endif
#if COUNT > 5
uniform vec4 column5;
#endif
#if COUNT > 6
uniform vec4 column6;
#endif
#if COUNT > 7
uniform vec4 column7;
#endif
#if CONSERVE
uniform vec4 shares;
#endif
DOMAIN packed_at;
DOMAIN node;
RANGE vec4 next;
RANGE vec4 change;

void main() {
    vec2 odd = step(0.5, fract(packed_at));
    vec4 channel = vec4(1.0 - odd.x, odd.x, 1.0 - odd.x, odd.x) * vec4(1.0 - odd.yy, odd.yy);
    vec4 sum = column0 * dot(channel, value2(y0, packed_at));
#if COUNT > 1
    sum += column1 * dot(channel, value2(y1, packed_at));
#endif
#if COUNT > 2
    sum += column2 * dot(channel, value2(y2, packed_at));
#endif
#if COUNT > 3
    sum += column3 * dot(channel, value2(y3, packed_at));
#endif
#if COUNT > 4
    sum += column4 * dot(channel, value2(y4, packed_at));
#endif
#if COUNT > 5
    sum += column5 * dot(channel, value2(y5, packed_at));
#endif
#if COUNT > 6
    sum += column6 * dot(channel, value2(y6, packed_at));
#endif
#if COUNT > 7
    sum += column7 * dot(channel, value2(y7, packed_at));
#endif
#if CONSERVE
    vec4 total = column0 * value2(sums, vec2(0.5)).x;
#if COUNT > 1
    total += column1 * value2(sums, vec2(1.5, 0.5)).x;
#endif
#if COUNT > 2
    total += column2 * value2(sums, vec2(2.5, 0.5)).x;
#endif
#if COUNT > 3
    total += column3 * value2(sums, vec2(3.5, 0.5)).x;
#endif
#if COUNT > 4
    total += column4 * value2(sums, vec2(4.5, 0.5)).x;
#endif
#if COUNT > 5
    total += column5 * value2(sums, vec2(5.5, 0.5)).x;
#endif
#if COUNT > 6
    total += column6 * value2(sums, vec2(6.5, 0.5)).x;
#endif
#if COUNT > 7
    total += column7 * value2(sums, vec2(7.5, 0.5)).x;
#endif
    sum -= total * shares;
#endif
#if GIVEN
    sum = dot(channel, value2(volume, packed_at)) > 0.0 ? sum : value2(r, node);
#endif
    change = sum;
    next = value2(u, node) + sum;
}
