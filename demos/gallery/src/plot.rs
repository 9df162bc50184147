//! Curves over a count, on a logarithmic axis.

use std::ops::Range;

/// A plot of curves.
pub struct Plot {
    pub title: String,
    /// The quantity that the horizontal axis counts.
    pub over: &'static str,
    /// The quantity whose logarithm the vertical axis has.
    pub measure: String,
    pub curves: Vec<Curve>,
    /// A line across, and its name.
    pub bound: Option<(&'static str, f64)>,
}

/// One line of a plot.
pub struct Curve {
    /// In the legend; without one for none.
    pub name: &'static str,
    pub colour: [u8; 3],
    /// Pixels: a wide one is seen behind a narrow one of the same points.
    pub width: u32,
    /// Counts and measures.
    pub points: Vec<(f64, f64)>,
}

/// The whole decades around these logarithms, at least one.
///
/// The axis is a linear one of logarithms, because the logarithmic axis of `plotters` 0.3.7 looks for marks without end
/// on a range that begins at a denormal number.
pub fn decades(logarithms: impl Iterator<Item = f64>) -> Range<f64> {
    let (low, high) = logarithms.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)));
    if low > high {
        return -1.0..0.0;
    }
    let bottom = low.floor();
    bottom..high.ceil().max(bottom + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_goes_from_decade_to_decade() {
        assert_eq!(decades([-3.5, -0.2, 0.8].into_iter()), -4.0..1.0);
        assert_eq!(decades([0.0].into_iter()), 0.0..1.0);
        assert_eq!(decades([].into_iter()), -1.0..0.0);
    }
}
