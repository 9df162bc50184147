//! Matrices that a constant solves: the null space of closed or periodic sides. And those with rows of zeros.

use quadrille::numeric::Csr;
use serde_json::{Value, json};

use crate::output::counted;

/// A row's sum counts as 0 up to this share of the sum of its magnitudes: what rounding its entries to f64, and adding them
/// up, leaves of 0. More than that is a matrix that is regular, however badly conditioned.
const ROUNDED: f64 = 2.0 * f64::EPSILON;

/// Taking more of b out than this is worth a warning.
const MUCH: f64 = 0.5;

/// The conditions that b has to meet for a solution to be, where they are known.
pub struct Singular {
    /// The parts of a symmetric matrix, sets of unknowns that no entry joins, on each of which constants are solved by 0. b
    /// has to sum up to 0 there, and x is known up to a constant.
    parts: Vec<Vec<usize>>,
    /// The rows of zeros of a matrix that is not symmetric: b has to be 0 there, and x is whatever it is guessed to be.
    held: Vec<usize>,
    /// ‖what was taken out of b‖ / ‖b‖.
    pub taken: f64,
}

impl Singular {
    /// The singular part of a matrix without stored zeros, or `None` where nothing is known to be. Of a matrix that is not
    /// symmetric only its rows of zeros are known to ask anything of b.
    pub fn of(csr: &Csr) -> Option<Singular> {
        if !csr.is_symmetric() {
            let held: Vec<usize> = (0..csr.rows()).filter(|&row| csr.row(row).next().is_none()).collect();
            return (!held.is_empty()).then_some(Singular { parts: Vec::new(), held, taken: 0.0 });
        }
        let whole = |part: &Vec<usize>| {
            part.iter().all(|&row| {
                let (sum, size) =
                    csr.row(row).fold((0.0, 0.0), |(sum, size), (_, a)| (sum + a, size + a.abs()));
                sum.abs() <= ROUNDED * size
            })
        };
        let parts: Vec<Vec<usize>> = csr.parts().into_iter().filter(whole).collect();
        (!parts.is_empty()).then_some(Singular { parts, held: Vec::new(), taken: 0.0 })
    }

    /// How many parts there are of more than one unknown. A row of zeros alone is a node that takes no part.
    pub fn count(&self) -> usize {
        self.parts.iter().filter(|part| part.len() > 1).count()
    }

    /// The line of a report about it.
    pub fn describe(&self) -> String {
        let taken = match self.taken {
            ..1e-13 => "b is compatible".to_owned(),
            taken => format!("{taken:.3e} of b is taken out"),
        };
        match (self.held.len() as u64, self.count()) {
            (0, 0) => format!(
                "{} without entries: {taken}, and x is 0 there",
                counted(self.parts.len() as u64, "node")
            ),
            (0, 1) => format!("singular by a constant: {taken}, and x has mean 0"),
            (0, count) => {
                format!("singular by a constant on each of {count} parts: {taken}, and x has mean 0 there")
            }
            (held, _) => {
                format!("{} of zeros: {taken}, and x stays as it is guessed there", counted(held, "row"))
            }
        }
    }

    /// The warning before the solve: that most of b is not solved for.
    pub fn warning(&self) -> Option<String> {
        let percent = 100.0 * self.taken;
        (self.taken > MUCH).then(|| {
            format!(
                "warning: the matrix is singular and {percent:.3} % of b is taken out: the residual is relative to what \
                 is left of b"
            )
        })
    }

    /// The same as an object.
    pub fn json(&self) -> Value {
        json!({ "parts": self.count(), "rows_of_zeros": self.held.len(), "taken_out_of_b": self.taken })
    }

    /// Takes out of b what no x makes: its mean on each part.
    pub fn make_compatible(&mut self, b: &mut [f64]) {
        // Squares of 1e300 are none.
        let largest = b.iter().fold(0.0, |most: f64, b| most.max(b.abs()));
        let norm2: f64 = b.iter().map(|b| (b / largest).powi(2)).sum();
        let mut taken2 = 0.0;
        for part in &self.parts {
            let mean = subtract_mean(part, b) / largest;
            taken2 += mean * mean * part.len() as f64;
        }
        for &row in &self.held {
            taken2 += (std::mem::take(&mut b[row]) / largest).powi(2);
        }
        self.taken = if norm2 > 0.0 { (taken2 / norm2).sqrt() } else { 0.0 };
    }

    /// Makes the mean of x 0 on each part.
    pub fn centre(&self, x: &mut [f64]) {
        for part in &self.parts {
            subtract_mean(part, x);
        }
    }
}

fn subtract_mean(part: &[usize], values: &mut [f64]) -> f64 {
    let mean = part.iter().map(|&i| values[i]).sum::<f64>() / part.len() as f64;
    part.iter().for_each(|&i| values[i] -= mean);
    mean
}

#[cfg(test)]
mod tests {
    use anyhow::Result;

    use super::*;

    /// A chain with closed ends, a chain with fixed ones, a node that takes no part, all of them apart.
    fn sample() -> Result<Csr> {
        let closed =
            [(0, 0, 0.1), (0, 1, -0.1), (1, 0, -0.1), (1, 1, 0.3), (1, 2, -0.2), (2, 1, -0.2), (2, 2, 0.2)];
        let fixed = [(3, 3, 2.0), (3, 4, -1.0), (4, 3, -1.0), (4, 4, 2.0)];
        Ok(Csr::from_triplets(6, 6, closed.into_iter().chain(fixed))?)
    }

    #[test]
    fn singular_parts_are_those_whose_rows_sum_to_0() -> Result<()> {
        assert!(Singular::of(&Csr::poisson(5, 4)?).is_none());
        let singular = Singular::of(&sample()?);
        assert_eq!(
            singular.map(|singular| (singular.count(), singular.parts)),
            Some((1, vec![vec![0, 1, 2], vec![5]]))
        );
        Ok(())
    }

    /// A chain that ends at a fixed value, whose row is zeros.
    #[test]
    fn rows_of_zeros_ask_for_zeros() -> Result<()> {
        let entries = [(0, 0, 2.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 2.0), (1, 2, -1.0)];
        let Some(mut singular) = Singular::of(&Csr::from_triplets(3, 3, entries)?) else {
            anyhow::bail!("not singular")
        };
        let mut b = [3.0, 0.0, 4.0];
        singular.make_compatible(&mut b);
        assert_eq!((b, singular.count(), singular.taken), ([3.0, 0.0, 0.0], 0, 0.8));
        let said = "1 row of zeros: 8.000e-1 of b is taken out, and x stays as it is guessed there";
        assert_eq!(singular.describe(), said);
        let mut x = [1.0, 2.0, 5.0];
        singular.centre(&mut x);
        assert_eq!(x, [1.0, 2.0, 5.0]);
        Ok(())
    }

    #[test]
    fn what_no_x_makes_is_taken_out_of_b() -> Result<()> {
        let Some(mut singular) = Singular::of(&sample()?) else { anyhow::bail!("not singular") };
        let mut b = [1.0, 2.0, 6.0, 7.0, 8.0, 4.0];
        singular.make_compatible(&mut b);
        assert_eq!(b, [-2.0, -1.0, 3.0, 7.0, 8.0, 0.0]);
        let taken2 = (3.0 * 9.0 + 16.0) / (1.0 + 4.0 + 36.0 + 49.0 + 64.0 + 16.0);
        assert!((singular.taken - f64::sqrt(taken2)).abs() < 1e-15);
        let mut large = [1e300, 2e300, 6e300, 7e300, 8e300, 4e300];
        singular.make_compatible(&mut large);
        assert!((singular.taken - f64::sqrt(taken2)).abs() < 1e-15);
        let mut x = [1.0; 6];
        singular.centre(&mut x);
        assert_eq!(x, [0.0, 0.0, 0.0, 1.0, 1.0, 0.0]);
        Ok(())
    }
}
