// Formula:   block (i, j) of A + E = J M^-1 J^T + E, by one body that contacts i and j share; E on the diagonal
// Inputs:    contacts (seven texels each, below), lists (a body's contacts one after another: row, which of its bodies), bodies
// Domain and range: slots across, contacts down -> the three columns of a block, and in the first one's last the row of j
// Edges:     slots past a contact's last are blocks of zeros at its own row
// Reference: Moravanszky, Dense Matrix Algebra on the GPU, 6; src/sim/contact/mod.rs
//
// A contact's texels: normal, where the list of its first body begins; tangent, how long that is; arm and row of the first body;
// arm and row of the second; E of the three rows, where the list of the second body begins; 1 / diagonal of A + E, row of its
// group; slots, how long the second list is. Arms are from the middle of a body, in units that its inertia has, too.
uniform Stream contacts, lists, bodies;
DOMAIN at;
RANGE vec4 first;
RANGE vec4 second;
RANGE vec4 third;

vec4 of(float texel, float row) {
    return value2(contacts, vec2(texel + 0.5, row));
}

void main() {
    float slot = floor(at.x), row = floor(at.y) + 0.5; // a place that is interpolated may lie beside the middle
    vec4 normal = of(0.0, row), tangent = of(1.0, row), soft = of(4.0, row);
    float past = slot - tangent.w;
    first = vec4(0.0, 0.0, 0.0, row);
    second = third = vec4(0.0);
    if (past >= of(6.0, row).y) {
        return;
    }
    bool other = past >= 0.0;
    vec4 arm = of(other ? 3.0 : 2.0, row);
    vec2 entry = value(lists, other ? soft.w + past : normal.w + slot).xy;
    bool its = entry.y > 0.5;
    vec3 along = of(0.0, entry.x).xyz, across = of(1.0, entry.x).xyz, lever = of(its ? 3.0 : 2.0, entry.x).xyz;
    vec4 upper = value2(bodies, vec2(0.5, arm.w)), lower = value2(bodies, vec2(1.5, arm.w));
    mat3 inverse = mat3(upper.x, upper.y, upper.z, upper.y, lower.x, lower.y, upper.z, lower.y, lower.z);
    mat3 ways = mat3(normal.xyz, tangent.xyz, cross(normal.xyz, tangent.xyz));
    mat3 pushes = mat3(along, across, cross(along, across));
    float way = other == its ? 1.0 : -1.0;
    mat3 block;
    for (int k = 0; k < 3; k++) {
        vec3 turned = inverse * cross(lever, pushes[k]);
        block[k] = way * ((upper.w * pushes[k] + cross(turned, arm.xyz)) * ways);
    }
    if (entry.x == row && !other && !its) {
        block += mat3(soft.x, 0.0, 0.0, 0.0, soft.y, 0.0, 0.0, 0.0, soft.z);
    }
    first = vec4(block[0], entry.x);
    second = vec4(block[1], 0.0);
    third = vec4(block[2], 0.0);
}
