// Formula:   A x = sum over d of c_d x(i + d); FORM 0: A x, 1: A x + y, -1: A x - y, 2: y - A x, 3: x + f inverse (y - A x), 4: y - A x, 5: inverse
// Inputs:    x, y, before, the entries c_d in ENTRIES (bit 3 (dy + 1) + dx + 1), the next coarser level's e, all packed 2x2; factor of each channel
// Domain and range: all texels of the vectors, CORRECTED: half of them less a half; for 5 the domain is 0 to 1
// Edges:     the sampler's; an entry that leads off the grid is 0; SEAM 1, 2 or 3: x, y or both are periodic and odd
// Reference: Bolz et al., Sparse Matrix Solvers on the GPU, 4.2 (matrix vector multiply, Relax)
//
// inverse = 1/d, d = max(|c|, half the sum of the row's magnitudes) in the sign of c, the main diagonal; 0 where that is below 1e-30.
// CORRECTED 1 (FORM 3): x + S e in the place of x, S e as in multigrid_prolong.frag; nothing leads to a node that takes no part.
// UNIFORM: the entries are those of all nodes, low, middle and high those of dy = -1, 0, 1; factor of FORM 3 has 1/d already; PADDING 1, 2
// or 3: the last texel of a row, a column or both is half a one, and stays so. 4 is 0 where the inverse would be. 6: x + h (x - before) + g (y - A x), 7: x + g (y - A x), with (h, g) = factor.
#if FORM != 5
uniform Stream x;
#endif
#if FORM == 1 || FORM == -1 || FORM == 2 || FORM == 3 || FORM == 4 || FORM == 6 || FORM == 7
uniform Stream y;
#endif
#if FORM == 6
uniform Stream before;
#endif
#if (ENTRIES & 1) != 0 && !UNIFORM
uniform Stream c0;
#endif
#if (ENTRIES & 2) != 0 && !UNIFORM
uniform Stream c1;
#endif
#if (ENTRIES & 4) != 0 && !UNIFORM
uniform Stream c2;
#endif
#if (ENTRIES & 8) != 0 && !UNIFORM
uniform Stream c3;
#endif
#if (ENTRIES & 16) != 0 && !UNIFORM
uniform Stream c4;
#endif
#if (ENTRIES & 32) != 0 && !UNIFORM
uniform Stream c5;
#endif
#if (ENTRIES & 64) != 0 && !UNIFORM
uniform Stream c6;
#endif
#if (ENTRIES & 128) != 0 && !UNIFORM
uniform Stream c7;
#endif
#if (ENTRIES & 256) != 0 && !UNIFORM
uniform Stream c8;
#endif
#if CORRECTED
uniform Stream coarse; // last, so that passes of a level have the entries at the same units
#endif
#if FORM == 3 || FORM == 6 || FORM == 7
uniform vec4 factor;
#endif
#if SEAM || PADDING
uniform vec2 texels; // columns and rows of them
#endif
#if UNIFORM && (ENTRIES & 7) != 0
uniform vec3 low;
#endif
#if UNIFORM && (ENTRIES & 56) != 0
uniform vec3 middle;
#endif
#if UNIFORM && (ENTRIES & 448) != 0
uniform vec3 high;
#endif
DOMAIN at;
DECLARE_OF_COARSE
RANGE vec4 result;

// The term that an entry adds. One of 0 takes no part, whatever x holds there.
vec4 term(vec4 c, vec4 elements) {
    return mix(c * elements, vec4(0.0), equal(c, vec4(0.0)));
}

#if (FORM == 3 || FORM == 5) && !UNIFORM
// 1/d.
vec4 reciprocal(vec4 diagonal, vec4 magnitudes) {
    vec4 size = max(abs(diagonal), 0.5 * magnitudes);
    return step(vec4(1e-30), abs(diagonal)) * sign(diagonal) / max(size, vec4(1e-30));
}
#endif

// Takes an entry into the row's sums.
#if FORM == 5
#define ADD(entry, elements) magnitudes += abs(entry);
#elif FORM == 3
#define ADD(entry, elements) { vec4 c = entry; sum += term(c, elements); magnitudes += abs(c); }
#else
#define ADD(entry, elements) sum += term(entry, elements);
#endif

void main() {
    vec4 sum = vec4(0.0), own = sum, magnitudes = sum, diagonal = sum;
    vec4 n0 = sum, n1 = sum, n2 = sum, n3 = sum, n4 = sum, n5 = sum, n6 = sum, n7 = sum, n8 = sum;
#if FORM == 5
    vec2 here = at;
#if (ENTRIES & 16) != 0
    diagonal = textureLod(c4.texels, here, 0.0);
#endif
#else
    vec2 here = addressOf(x, at);
    // n4 is the texel itself, n0 to n8 are those around it, each fetched if an entry needs it.
    own = n4 = textureLod(x.texels, here, 0.0);
#if (ENTRIES & 1) != 0
    n0 = textureLodOffset(x.texels, here, 0.0, ivec2(-1, -1));
#endif
#if (ENTRIES & 7) != 0
    n1 = textureLodOffset(x.texels, here, 0.0, ivec2(0, -1));
#endif
#if (ENTRIES & 4) != 0
    n2 = textureLodOffset(x.texels, here, 0.0, ivec2(1, -1));
#endif
#if (ENTRIES & 73) != 0
    n3 = textureLodOffset(x.texels, here, 0.0, ivec2(-1, 0));
#endif
#if (ENTRIES & 292) != 0
    n5 = textureLodOffset(x.texels, here, 0.0, ivec2(1, 0));
#endif
#if (ENTRIES & 64) != 0
    n6 = textureLodOffset(x.texels, here, 0.0, ivec2(-1, 1));
#endif
#if (ENTRIES & 448) != 0
    n7 = textureLodOffset(x.texels, here, 0.0, ivec2(0, 1));
#endif
#if (ENTRIES & 256) != 0
    n8 = textureLodOffset(x.texels, here, 0.0, ivec2(1, 1));
#endif
#if (ENTRIES & 16) != 0 && !UNIFORM
    diagonal = textureLod(c4.texels, here, 0.0);
#endif
#if CORRECTED
    // The coarse nodes at -1, 0 and 1 of the texel's own lie in 2x2 texels, of which the first is at the domain.
    vec4 e0 = value2(coarse, of_coarse), e1 = valueOffset(coarse, of_coarse, ivec2(1, 0));
    vec4 e2 = valueOffset(coarse, of_coarse, ivec2(0, 1)), e3 = valueOffset(coarse, of_coarse, ivec2(1, 1));
    bvec2 odd = lessThan(fract(of_coarse), vec2(0.5));
    vec4 under = odd.y ? vec4(e0.rg, e1.rg) : vec4(e0.ba, e1.ba), over = odd.y ? vec4(e2.rg, e3.rg) : vec4(e2.ba, e3.ba);
    vec4 between = odd.y ? vec4(e0.ba, e1.ba) : vec4(e2.rg, e3.rg);
    vec3 a = odd.x ? under.xyz : under.yzw, b = odd.x ? between.xyz : between.yzw, c = odd.x ? over.xyz : over.yzw;
    vec2 along_a = a.xy + a.yz, along_b = b.xy + b.yz, along_c = c.xy + c.yz;
    n0.a += 0.25 * (along_a.x + along_b.x);
    n1.ba += vec2(0.5 * (a.y + b.y), 0.25 * (along_a.y + along_b.y));
    n2.b += 0.5 * (a.z + b.z);
    n3.ga += vec2(0.5 * along_b.x, 0.25 * (along_b.x + along_c.x));
    n4 += mix(vec4(b.y, 0.5 * along_b.y, 0.5 * (b.y + c.y), 0.25 * (along_b.y + along_c.y)), vec4(0.0), lessThan(abs(diagonal), vec4(1e-30)));
    n5.rb += vec2(b.z, 0.5 * (b.z + c.z));
    n6.g += 0.5 * along_c.x;
    n7.rg += vec2(c.y, 0.5 * along_c.y);
    n8.r += c.z;
    own = n4;
#endif
#if SEAM == 1 || SEAM == 3
    // The last texel of a row holds one column: it is the neighbour of the first one.
    if (at.x < 1.0) { n0.ga = n0.rb; n3.ga = n3.rb; n6.ga = n6.rb; }
    if (at.x > texels.x - 1.0) { n1.ga = n2.rb; n4.ga = n5.rb; n7.ga = n8.rb; }
#endif
#if SEAM == 2 || SEAM == 3
    if (at.y < 1.0) { n0.ba = n0.rg; n1.ba = n1.rg; n2.ba = n2.rg; }
    if (at.y > texels.y - 1.0) { n3.ba = n6.rg; n4.ba = n7.rg; n5.ba = n8.rg; }
#endif
#endif
#if UNIFORM
#if (ENTRIES & 1) != 0
    sum += low.x * vec4(n0.a, n1.b, n3.g, n4.r);
#endif
#if (ENTRIES & 2) != 0
    sum += low.y * vec4(n1.ba, n4.rg);
#endif
#if (ENTRIES & 4) != 0
    sum += low.z * vec4(n1.a, n2.b, n4.g, n5.r);
#endif
#if (ENTRIES & 8) != 0
    sum += middle.x * vec4(n3.g, n4.r, n3.a, n4.b);
#endif
#if (ENTRIES & 16) != 0
    sum += middle.y * own;
#endif
#if (ENTRIES & 32) != 0
    sum += middle.z * vec4(n4.g, n5.r, n4.a, n5.b);
#endif
#if (ENTRIES & 64) != 0
    sum += high.x * vec4(n3.a, n4.b, n6.g, n7.r);
#endif
#if (ENTRIES & 128) != 0
    sum += high.y * vec4(n4.ba, n7.rg);
#endif
#if (ENTRIES & 256) != 0
    sum += high.z * vec4(n4.a, n5.b, n7.g, n8.r);
#endif
#if PADDING == 1 || PADDING == 3
    if (at.x > texels.x - 1.0) sum.ga = vec2(0.0);
#endif
#if PADDING == 2 || PADDING == 3
    if (at.y > texels.y - 1.0) sum.ba = vec2(0.0);
#endif
#else
#if (ENTRIES & 1) != 0
    ADD(textureLod(c0.texels, here, 0.0), vec4(n0.a, n1.b, n3.g, n4.r))
#endif
#if (ENTRIES & 2) != 0
    ADD(textureLod(c1.texels, here, 0.0), vec4(n1.ba, n4.rg))
#endif
#if (ENTRIES & 4) != 0
    ADD(textureLod(c2.texels, here, 0.0), vec4(n1.a, n2.b, n4.g, n5.r))
#endif
#if (ENTRIES & 8) != 0
    ADD(textureLod(c3.texels, here, 0.0), vec4(n3.g, n4.r, n3.a, n4.b))
#endif
#if (ENTRIES & 16) != 0
    ADD(diagonal, own)
#endif
#if (ENTRIES & 32) != 0
    ADD(textureLod(c5.texels, here, 0.0), vec4(n4.g, n5.r, n4.a, n5.b))
#endif
#if (ENTRIES & 64) != 0
    ADD(textureLod(c6.texels, here, 0.0), vec4(n3.a, n4.b, n6.g, n7.r))
#endif
#if (ENTRIES & 128) != 0
    ADD(textureLod(c7.texels, here, 0.0), vec4(n4.ba, n7.rg))
#endif
#if (ENTRIES & 256) != 0
    ADD(textureLod(c8.texels, here, 0.0), vec4(n4.a, n5.b, n7.g, n8.r))
#endif
#endif
#if FORM == 0
    result = sum;
#elif FORM == 1
    result = sum + textureLod(y.texels, here, 0.0);
#elif FORM == -1
    result = sum - textureLod(y.texels, here, 0.0);
#elif FORM == 2
    result = textureLod(y.texels, here, 0.0) - sum;
#elif FORM == 3
#if UNIFORM
    result = own + factor * (textureLod(y.texels, here, 0.0) - sum);
#else
    result = own + factor * reciprocal(diagonal, magnitudes) * (textureLod(y.texels, here, 0.0) - sum);
#endif
#elif FORM == 4
    result = mix(textureLod(y.texels, here, 0.0) - sum, vec4(0.0), lessThan(abs(diagonal), vec4(1e-30)));
#elif FORM == 6
    result = own + factor.x * (own - textureLod(before.texels, here, 0.0)) + factor.y * (textureLod(y.texels, here, 0.0) - sum);
#elif FORM == 7
    result = own + factor.y * (textureLod(y.texels, here, 0.0) - sum);
#else
    result = reciprocal(diagonal, magnitudes);
#endif
}
