// Formula:   r = max |x - clamp(x - A x - b, lower, upper)|, and the sums (y - x).D (x - before), s.A s and s.D s with s = x - y
// Inputs:    x, before, earlier, their products with A, b, inverse (1 / D), lower, upper (packed 4x1), steer, groups
// Domain and range: parts of a group across, groups down
// Edges:     none: what pads the last texel of a group has inverse 0 and counts for nothing
// Reference: O'Donoghue & Candes, Adaptive Restart for Accelerated Gradient Schemes, 2015, 3.2; Nesterov 1983
//
// y = before + momentum (before - earlier) is where x came from. Steer holds (theta, momentum, step, r) of each group, and
// groups (first texel, texels, least step, the r at which it rests).
// PARTIALS: takes the parts of another pass instead of the vectors; BOX: bounds other than 0 and infinity. STEER: of one
// part, goes on to the next theta, momentum and step. A step is as long as the steepest s.A s / s.D s met so far allows;
// where it becomes shorter, and where the last went uphill, momentum begins anew. What rests has step 0 for ever.
#if PARTIALS
uniform Stream partials;
#else
uniform Stream x, before, earlier, product, product_before, product_earlier, b, inverse;
#if BOX
uniform Stream lower, upper;
#endif
#endif
#if STEER || !PARTIALS
uniform Stream steer, groups;
#endif
uniform float parts;
DOMAIN at;
RANGE vec4 result;

const float LARGEST = 3.0e38; // stands for all that is no number

#if PARTIALS
vec4 survey() {
    vec4 found = vec4(0.0);
    for (float part = floor(at.x); part < partials.extent.x; part += parts) {
        vec4 more = value2(partials, vec2(part + 0.5, at.y));
        found = vec4(max(found.x, more.x), found.yzw + more.yzw);
    }
    return found;
}
#else
float residual(float x, float w, float by, float lower, float upper) {
    if (by == 0.0) {
        return 0.0; // padding
    }
    float goal = x - w;
    float far = abs(goal < lower ? x - lower : goal > upper ? x - upper : w);
    return far < LARGEST ? far : LARGEST;
}

vec4 survey() {
    vec2 group = value2(groups, vec2(0.5, at.y)).xy;
    float momentum = value2(steer, vec2(0.5, at.y)).y;
    float worst = 0.0;
    vec3 sums = vec3(0.0);
    for (float texel = floor(at.x); texel < group.y; texel += parts) {
        vec2 place = vec2(0.5, group.x + texel + 0.5);
        vec4 here = value2(x, place), last = value2(before, place);
        vec4 image = value2(product, place), last_image = value2(product_before, place);
        vec4 y = last + momentum * (last - value2(earlier, place));
        vec4 y_image = last_image + momentum * (last_image - value2(product_earlier, place));
        vec4 by = value2(inverse, place);
        vec4 scale = mix(1.0 / by, vec4(0.0), equal(by, vec4(0.0)));
        vec4 s = here - y;
        sums += vec3(-dot(s, scale * (here - last)), dot(s, image - y_image), dot(s, scale * s));
        vec4 w = image + value2(b, place);
#if BOX
        vec4 least = value2(lower, place), most = value2(upper, place);
#else
        vec4 least = vec4(0.0), most = vec4(LARGEST);
#endif
        worst = max(worst, residual(here.x, w.x, by.x, least.x, most.x));
        worst = max(worst, residual(here.y, w.y, by.y, least.y, most.y));
        worst = max(worst, residual(here.z, w.z, by.z, least.z, most.z));
        worst = max(worst, residual(here.w, w.w, by.w, least.w, most.w));
    }
    return vec4(worst, sums);
}
#endif

void main() {
    vec4 found = survey();
#if STEER
    vec4 now = value2(steer, vec2(0.5, at.y));
    vec2 bounds = value2(groups, vec2(0.5, at.y)).zw;
    float steepest = found.w > 0.0 ? found.z / found.w : 0.0;
    float pace = steepest * now.z > 1.0 ? min(now.z, max(1.0 / (1.1 * steepest), bounds.x)) : now.z;
    float theta = 0.5 * now.x * (sqrt(now.x * now.x + 4.0) - now.x);
    float momentum = now.x * (1.0 - now.x) / (now.x * now.x + theta);
    bool restart = found.y > 0.0 || pace < now.z;
    bool rests = found.x <= bounds.y;
    result = vec4(restart ? 1.0 : theta, restart || rests ? 0.0 : momentum, rests ? 0.0 : pace, found.x);
#else
    result = found;
#endif
}
