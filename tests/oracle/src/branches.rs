//! A choice between two amounts of work, and a loop that may end early, in f64.

use quadrille::sim::branches::{LINE, Parameters, Part};

/// The results of those values, `width` a row: of squares within [`BOUND`](quadrille::sim::branches::BOUND), of orbits
/// exactly. `None` where an orbit comes so near to |z| = 2 that f32 may count otherwise.
pub fn results(parameters: Parameters, values: &[f32], width: u32) -> Vec<Option<f64>> {
    results_of(parameters, Part::default(), values, width)
}

/// The same for orbits of that part of the plane.
pub fn results_of(parameters: Parameters, part: Part, values: &[f32], width: u32) -> Vec<Option<f64>> {
    let Parameters { way, square, trips } = parameters;
    let (origin, pitch) = part.plane(width, values.len() as u32 / width.max(1));
    let texel = |(i, &x): (usize, &f32)| {
        let (column, row) = (i as u32 % width, i as u32 / width);
        if way.is_loop() {
            return counted(origin, pitch, column, row, trips);
        }
        let times = if is_heavy(column, row, square) { trips } else { 1 };
        Some(worked(x, LINE, times))
    };
    values.iter().enumerate().map(texel).collect()
}

/// The orbit of a texel. Its c = origin + pitch·place is a rounded product and a rounded sum.
fn counted(origin: [f32; 2], pitch: f32, column: u32, row: u32, trips: u32) -> Option<f64> {
    let [x, y] = origin.map(f64::from);
    let c = [x + f64::from(pitch) * f64::from(column), y + f64::from(pitch) * f64::from(row)];
    let doubt = f64::from(f32::EPSILON) * (2.0 * c[0].hypot(c[1]) + x.hypot(y));
    orbit(c, doubt, trips).map(f64::from)
}

/// x → m x + c, so many times.
pub fn worked(x: f32, line: [f32; 2], times: u32) -> f64 {
    let [m, c] = line.map(f64::from);
    (0..times).fold(f64::from(x), |x, _| m * x + c)
}

/// Returns true if a texel lies in one of the heavy squares of a chequerboard: every second one, beginning with the second.
pub fn is_heavy(column: u32, row: u32, square: u32) -> bool {
    (column / square + row / square) % 2 == 1
}

/// How often z → z² + c is applied, from z = 0, before |z| > 2; at most `trips`. `None` where f32 may count otherwise.
///
/// An error e of z grows to 2|z|e + e² and a few roundings of |z|² + |c| in a trip, and to that comes the `doubt` of c. A
/// count is certain if no |z|² came within its error of 4.
pub fn orbit(c: [f64; 2], doubt: f64, trips: u32) -> Option<u32> {
    let epsilon = f64::from(f32::EPSILON);
    let (mut x, mut y, mut error) = (0.0f64, 0.0f64, 0.0f64);
    for trip in 0..trips {
        let square = x * x + y * y;
        let grown = 2.0 * square.sqrt() * error + error * error + 4.0 * epsilon * square;
        if (square - 4.0).abs() <= grown {
            return None;
        }
        if square > 4.0 {
            return Some(trip);
        }
        (x, y) = (x * x - y * y + c[0], 2.0 * x * y + c[1]);
        error = grown + doubt + 4.0 * epsilon * (square + c[0].hypot(c[1]));
    }
    Some(trips)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orbits_that_are_known_are_counted_and_those_on_the_edge_are_in_doubt() {
        assert_eq!(orbit([0.0, 0.0], 0.0, 100), Some(100), "it rests");
        assert_eq!(orbit([1.5, 0.0], 0.0, 100), Some(2), "0, 1.5, 3.75");
        assert_eq!(orbit([3.0, 0.0], 0.0, 100), Some(1), "0, 3");
        assert_eq!(orbit([1.0, 0.0], 0.0, 100), None, "0, 1, and 2 or a little more");
    }

    #[test]
    fn heavy_squares_are_every_second_one() {
        let row = |row| (0..6).map(|column| u32::from(is_heavy(column, row, 2))).collect::<Vec<_>>();
        assert_eq!((row(1), row(2)), (vec![0, 0, 1, 1, 0, 0], vec![1, 1, 0, 0, 1, 1]));
        assert_eq!(worked(1.0, [0.5, 2.0], 2), 3.25);
    }
}
