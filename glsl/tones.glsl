// Words of false colours: the share of a colour map that a number has, from 0 at the first end to 1 at the last, and lines of
// equal shares.

#if LOGARITHMIC
// A logarithm of both signs, linear where numbers are below a thousandth of the larger end.
float bent(float number, float most) {
    return sign(number) * log(1.0 + 1000.0 * abs(number) / most);
}
#endif

float shareOf(float number, vec2 ends) {
#if LOGARITHMIC
    float most = max(abs(ends.x), abs(ends.y)), low = bent(ends.x, most);
    return (bent(number, most) - low) / (bent(ends.y, most) - low);
#else
    return (number - ends.x) / (ends.y - ends.x);
#endif
}

#if LINES
// The colour with a line where `level` is whole, from 0 to `last`. The way to it is measured in pixels by the slope there, so all
// lines are as wide; where nothing slopes there is none.
vec3 lined(vec3 rgb, float level, float last) {
    float slope = length(vec2(dFdx(level), dFdy(level)));
    float off = abs(fract(level + 0.5) - 0.5) / max(slope, 1e-9);
    float line = clamp(1.2 - off, 0.0, 1.0) * smoothstep(5e-4, 2e-3, slope);
    line *= step(-0.5, level) * step(level, last + 0.5);
    float light = dot(rgb, vec3(0.3, 0.59, 0.11));
    // No number has no line: its product would be no number too.
    return isnan(level) ? rgb : mix(rgb, vec3(light > 0.5 ? 0.0 : 1.0), 0.75 * line);
}
#endif
