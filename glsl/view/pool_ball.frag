// Formula:   the middle of a ball that floats: its cell, and the mean height of the water under it, of 9 places
// Inputs:    heights (width x height, R = height); ball = (cell x, y, radius, draught) of cells, the last two in the world; world of a cell, of a height
// Domain and range: one texel -> (x, y, z, radius) in the world
// Edges:     clamp; a height that is not finite counts as 0
// Reference: house
uniform Stream heights;
uniform vec4 ball;
uniform vec2 half_sides;
uniform float cell, relief;
RANGE vec4 middle;

float heightAt(vec2 place) {
    float h = value2(heights, clamp(floor(place) + 0.5, vec2(0.5), heights.extent.xy - 0.5)).x;
    return abs(h) < 1e30 ? h : 0.0;
}

void main() {
    float far = 0.8 * ball.z / cell, near = 0.7 * far, sum = heightAt(ball.xy);
    sum += heightAt(ball.xy + vec2(far, 0.0)) + heightAt(ball.xy - vec2(far, 0.0));
    sum += heightAt(ball.xy + vec2(0.0, far)) + heightAt(ball.xy - vec2(0.0, far));
    sum += heightAt(ball.xy + vec2(near)) + heightAt(ball.xy - vec2(near));
    sum += heightAt(ball.xy + vec2(near, -near)) + heightAt(ball.xy + vec2(-near, near));
    vec2 ground = ball.xy * cell - half_sides;
    middle = vec4(ground.x, clamp(relief * sum / 9.0, -1.0, 1.0) + ball.w, ground.y, ball.z);
}
