// Formula:   the largest of what velocities miss and the sums of the rest over a group; pace = min(pace, 1 / (1.1 t.A t / t.D t))
// Inputs:    measured (a contact a texel), given (third column: first row, contacts and goal of each group), steer
// Domain and range: parts of a group across, groups down; but of STAGE 0: the next steer of each group
// Edges:     none
// Reference: O'Donoghue & Candes, Adaptive Restart for Accelerated Gradient Schemes, 2015, 3.2
//
// STAGE 0 leaves parts, 1 brings those together, 2 takes a group at once. Steer is as in contact_sweep. Where a step went uphill,
// and where the pace becomes shorter, momentum begins anew; what misses no more than its goal rests from now on.
uniform Stream measured, given;
#if STAGE
uniform Stream steer;
uniform float sweep;
#endif
uniform float parts;
DOMAIN at;
RANGE vec4 result;

void main() {
    vec3 group = value2(given, vec2(2.5, at.y)).xyz;
    vec4 found = vec4(0.0);
#if STAGE == 1
    for (float part = 0.5; part < parts; part += 1.0) {
        vec4 more = value2(measured, vec2(part, at.y));
#else
    for (float row = floor(at.x) + 0.5; row < group.y; row += parts) {
        vec4 more = value2(measured, vec2(0.5, group.x + row));
#endif
        found = vec4(max(found.x, more.x), found.yzw + more.yzw);
    }
#if STAGE
    vec4 now = value2(steer, vec2(0.5, at.y));
    float pace = found.w > 0.0 && found.z * now.y > found.w ? found.w / (1.1 * found.z) : now.y;
    bool restart = found.y > 0.0 || pace < now.y, rests = found.x <= group.z;
    result = now.z > 0.0 ? now : vec4(restart ? sweep : now.x, pace, rests ? sweep : 0.0, found.x);
#else
    result = found;
#endif
}
