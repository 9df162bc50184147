//! Planets around a fixed sun, in f64.

/// One leapfrog step of each planet: v₊ = v + h/2 a(x), x' = x + h v₊, v' = v₊ + h/2 a(x') with
/// a(x) = −x / (|x|² + ε²)^(3/2). Units in which G and the mass of the sun are 1; planets have none.
///
/// # Shapes
/// `state` holds (x, y, vx, vy) of each planet.
pub fn step(state: &[f64], time_step: f64, softening: f64) -> Vec<f64> {
    let (planets, _) = state.as_chunks::<4>();
    let half = time_step / 2.0;
    let pull = |x: f64, y: f64| {
        let share = (x * x + y * y + softening * softening).powf(-1.5);
        (-x * share, -y * share)
    };
    let step = |&[x, y, vx, vy]: &[f64; 4]| {
        let (ax, ay) = pull(x, y);
        let (vx, vy) = (vx + half * ax, vy + half * ay);
        let (x, y) = (x + time_step * vx, y + time_step * vy);
        let (ax, ay) = pull(x, y);
        [x, y, vx + half * ax, vy + half * ay]
    };
    planets.iter().flat_map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_closes_after_two_pi_and_halved_steps_miss_a_quarter() {
        let miss = |steps: u32| {
            let h = std::f64::consts::TAU / f64::from(steps);
            let end = (0..steps).fold(vec![1.0, 0.0, 0.0, 1.0], |state, _| step(&state, h, 0.0));
            (end[0] - 1.0).hypot(end[1])
        };
        let (coarse, fine) = (miss(500), miss(1000));
        assert!(coarse < 1e-3, "{coarse:e}");
        // Leapfrog is of second order; its next term is of the fourth, some 10⁻⁵ of this one.
        assert!((coarse / fine - 4.0).abs() < 0.01, "{}", coarse / fine);
    }

    #[test]
    fn leapfrog_keeps_angular_momentum_to_rounding() {
        let turning = |s: &[f64]| s[0] * s[3] - s[1] * s[2];
        let start = vec![1.0, 0.2, -0.3, 0.7];
        let end = (0..1000).fold(start.clone(), |state, _| step(&state, 0.01, 0.05));
        // Kicks point at the sun and drifts along v: a step rounds a dozen numbers below 4 by 2⁻⁵³ of them each.
        assert!((turning(&end) - turning(&start)).abs() < 1000.0 * 50.0 * f64::EPSILON);
    }
}
