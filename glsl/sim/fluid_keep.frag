// Formula:   q' = q + share |q|, share = (kept - sum q) / sum |q|, a half at most either way; 0 where there is nothing
// Inputs:    field, q, one to four numbers; kept, sum, magnitude: 1 x 1, of each of them
// Domain and range: all elements of the field
// Edges:     none
// Reference: none: what is missing is put where there is something, so no sign changes and nothing comes of nothing
uniform Stream field, kept, sum, magnitude;
DOMAIN at;
RANGE vec4 corrected;

void main() {
    vec4 here = value2(field, at);
    vec4 share = (value0(kept) - value0(sum)) / max(value0(magnitude), 1e-30);
    share = mix(clamp(share, -0.5, 0.5), vec4(0.0), isnan(share));
    corrected = here + share * abs(here);
}
