// Formula:   trail' = 1 within `radius` of the sun or of one of four planets, fade trail elsewhere
// Inputs:    trail (the picture before), planets (4 x 1, (x, y, vx, vy)), radius (lengths), fade = 0 to 1
// Domain and range: coords = where the range lies in the picture, place = the same in lengths; one panel of the picture
// Edges:     none
// Reference: house; a loop over the planets in each texel, because four of them are fewer than a scatter is worth
uniform Stream trail, planets;
uniform float radius, fade;
DOMAIN coords;
DOMAIN place;
RANGE float next;

void main() {
    float nearest = length(place);
    for (int planet = 0; planet < 4; ++planet) {
        nearest = min(nearest, distance(place, value2(planets, vec2(float(planet) + 0.5, 0.5)).xy));
    }
    next = nearest < radius ? 1.0 : fade * value2(trail, coords).x;
}
