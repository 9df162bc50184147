// Formula:   part p of A x: the sum over the columns first + p count <= j < first + (p + 1) count of a_j x_j
// Inputs:    entries (packed 4x1), x (one column, packed 4x1), groups (first texel of x and columns, for each row of texels)
// Domain and range: the texels of the result, part beside part
// Edges:     up to three columns past a group's last take no part; rows past its last are 0
// Reference: Moravanszky, Dense Matrix Algebra on the GPU, 3.3, for independent groups one below the other
//
// The columns of a group count from its own first; those of all groups but the largest are followed by nothing.
uniform Stream entries, x, groups;
uniform float first, count; // multiples of 4
DOMAIN at;
RANGE vec4 sums;

void main() {
    float part = floor(at.x);
    vec2 group = value2(groups, vec2(0.5, at.y)).xy;
    float begin = first + part * count, end = min(begin + count, group.y);
    float line = at.y * entries.extent.w, texel = group.x + 0.5;
    vec4 sum = vec4(0.0);
    for (float column = begin; column < end; column += 4.0) {
        vec4 factors = value2(x, vec2(0.5, texel + 0.25 * column));
        factors = mix(vec4(0.0), factors, lessThan(column + vec4(0.0, 1.0, 2.0, 3.0), vec4(end)));
        vec2 block = vec2((column + 0.5) * entries.extent.z, line);
        sum += textureLod(entries.texels, block, 0.0) * factors.r;
        sum += textureLodOffset(entries.texels, block, 0.0, ivec2(1, 0)) * factors.g;
        sum += textureLodOffset(entries.texels, block, 0.0, ivec2(2, 0)) * factors.b;
        sum += textureLodOffset(entries.texels, block, 0.0, ivec2(3, 0)) * factors.a;
    }
    vec4 row = 4.0 * (at.y - group.x) + vec4(-1.5, -0.5, 0.5, 1.5);
    sums = mix(vec4(0.0), sum, lessThan(row, vec4(group.y)));
}
