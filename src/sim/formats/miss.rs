//! How far a run is from the same run in f64.

/// The error of one format: over all numbers of the state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Miss {
    /// √(Σ (found − exact)² / n).
    pub rms: f64,
    /// The largest |found − exact|. NaN if one of them is.
    pub max: f64,
}

impl Miss {
    /// The miss of numbers found, against as many exact ones.
    pub(super) fn between(found: &[f32], exact: &[f64]) -> Miss {
        let (mut squares, mut max) = (0.0, 0.0);
        for (&found, exact) in found.iter().zip(exact) {
            let miss = (f64::from(found) - exact).abs();
            squares += miss * miss;
            // No comparison with a NaN is true: it takes the place of any number, and keeps it.
            max = if f64::is_nan(max) || miss <= max { max } else { miss };
        }
        Miss { rms: (squares / exact.len().max(1) as f64).sqrt(), max }
    }
}

/// The errors of all formats after so many steps, in the order of [`super::FORMATS`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Steps since the beginning.
    pub steps: u64,
    /// One for each format.
    pub misses: [Miss; 4],
}

#[cfg(test)]
mod tests {
    use super::Miss;

    #[test]
    fn the_root_of_the_mean_square_and_the_largest() {
        let miss = Miss::between(&[1.0, 2.0, 3.0, 4.0], &[1.0, 5.0, 3.0, 0.0]);
        assert_eq!((miss.rms, miss.max), (2.5, 4.0));
    }

    #[test]
    fn a_nan_is_not_lost_wherever_it_stands() {
        for found in [[f32::NAN, 1.0, 9.0], [1.0, f32::NAN, 9.0], [1.0, 9.0, f32::NAN]] {
            let miss = Miss::between(&found, &[0.0; 3]);
            assert!(miss.rms.is_nan() && miss.max.is_nan());
        }
    }
}
