//! The rim of a drop, which gives back what its middle presses down.

/// Σ b / Σ b s² over the cells of a drop, b the bump without its rim: the rim with which its volume is 0. `None` where no cell is
/// off the middle, and where the rim would be so high that the drop is nothing else.
pub fn rim(centre: [f32; 2], radius: f32, beyond: [f32; 2], taper: [f32; 2]) -> Option<f32> {
    let [x, y] = centre.map(f64::from);
    let radius = f64::from(radius);
    let cells = |k: usize| {
        let last = f64::from(beyond[k]) - 1.0;
        let c = f64::from(centre[k]);
        let (low, high) = ((c - radius).floor().max(0.0) + 0.5, (c + radius).min(last));
        (0..).map(move |n| low + f64::from(n)).take_while(move |place| *place <= high)
    };
    let edge = |k: usize, place: f64| {
        let part = (place + 0.5).min(f64::from(beyond[k]) - place) / f64::from(taper[k]);
        let part = part.clamp(0.0, 1.0);
        part * part * (3.0 - 2.0 * part)
    };
    let (mut sum, mut outside) = (0.0, 0.0);
    for row in cells(1) {
        let inside = edge(1, row);
        for column in cells(0) {
            let square = ((column - x).powi(2) + (row - y).powi(2)) / (radius * radius);
            if square < 1.0 {
                let bump =
                    0.5 * (1.0 + (std::f64::consts::PI * square.sqrt()).cos()) * inside * edge(0, column);
                sum += bump;
                outside += bump * square;
            }
        }
    }
    let rim = sum / outside;
    (rim.is_finite() && rim <= HIGHEST_RIM).then_some(rim as f32)
}

/// A drop of one cell and four neighbours that it hardly touches.
const HIGHEST_RIM: f64 = 1e3;
