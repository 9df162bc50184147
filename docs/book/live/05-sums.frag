// Every 60 steps each element takes the mean of itself and another one, which is 1, 2, 4 and 8 to the right, then 1, 2, 4 and 8 up.
// After eight of these hops each of the 256 elements is the mean of all. Then it begins again.
uniform Stream old_mean, noise;
uniform float now; // the step, from 1
DOMAIN here;
RANGE float mean;

void main() {
    float time = mod(now - 1.0, 720.0);
    float hop = floor((time + 0.5) / 60.0);
    mean = value2(old_mean, here).x;
    if (time == 0.0) {
        mean = 2.0 * value2(noise, here).x - 1.0;
    } else if (time == 60.0 * hop && hop <= 8.0) {
        float away = floor(exp2(mod(hop - 1.0, 4.0)) + 0.5);
        vec2 there = here + (hop <= 4.0 ? vec2(away, 0.0) : vec2(0.0, away));
        mean = 0.5 * (mean + value2(old_mean, there).x);
    }
}
