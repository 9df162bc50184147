//! Matrices that are the same at every cell of a grid: no entry is stored.

use super::bands::{Bands, Coefficients, Inlined, Kind, Shift};
use super::{Algebra, LinearOperator, Op, Vector, operator};
use crate::layout::{BoundaryCondition, Packed2x2};
use crate::{Error, Result};

/// out(x, y) = Σ c(dx, dy) · in(x + dx, y + dy) on a grid, with constant coefficients and no matrix in memory.
///
/// Unlike a stored entry of 0, a coefficient of 0 does take part: 0 · ∞ is NaN. A five-point stencil takes 5 fetches
/// for four unknowns, where [`Banded`](super::Banded) takes 10.
pub struct Stencil {
    layout: Packed2x2,
    bands: Bands,
    offsets: Vec<(i64, i64)>,
    coefficients: Vec<f32>,
    transposed: Bands,
    beyond: BoundaryCondition,
}

impl Stencil {
    /// The stencil of these points: (dx, dy) and coefficient. With [`BoundaryCondition::Neumann`], |dx| and |dy| are at
    /// most 1: reflection of points further away is not implemented.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for an offset outside −14 to 14, one given twice, a coefficient that is not finite,
    /// a layout that is no full grid, periodic sides ([`Banded`](super::Banded) and [`NinePoint`](super::NinePoint) have them), or a
    /// diagonal offset at a reflecting edge.
    pub fn new(
        algebra: &Algebra,
        layout: Packed2x2,
        beyond: BoundaryCondition,
        points: &[((i64, i64), f32)],
    ) -> Result<Stencil> {
        let bad = |found: String, expected: &str| {
            Err(Error::BadParameter { name: "stencil", found, expected: expected.to_owned() })
        };
        if layout.tail() != layout.width() {
            return bad(layout.to_string(), "a full grid");
        }
        if beyond == BoundaryCondition::Periodic {
            return bad("periodic sides".to_owned(), "Dirichlet or Neumann");
        }
        for (i, &((dx, dy), coefficient)) in points.iter().enumerate() {
            let point = format!("{coefficient} at ({dx}, {dy})");
            if dx.unsigned_abs().max(dy.unsigned_abs()) > 14 {
                return bad(point, "offsets from -14 to 14");
            }
            if !coefficient.is_finite() || points[..i].iter().any(|other| other.0 == (dx, dy)) {
                return bad(point, "one finite coefficient an offset");
            }
            if beyond == BoundaryCondition::Neumann && dx.abs() + dy.abs() > 1 {
                return bad(point, "the cell itself and its four neighbours, at reflecting edges");
            }
        }
        let mut offsets: Vec<(i64, i64)> = points.iter().map(|point| point.0).collect();
        let mut coefficients: Vec<f32> = points.iter().map(|point| point.1).collect();
        if beyond == BoundaryCondition::Neumann && !offsets.contains(&(0, 0)) {
            offsets.push((0, 0));
            coefficients.push(0.0);
        }
        let bands = |sign: i64, reflecting: Kind| {
            let shifts = offsets.iter().filter_map(|&(dx, dy)| Shift::near(sign * dx, sign * dy));
            let kind = if beyond == BoundaryCondition::Dirichlet { Kind::Fixed } else { reflecting };
            Bands::new(algebra, layout, kind, shifts.collect())
        };
        let (bands, transposed) = (bands(1, Kind::Reflecting), bands(-1, Kind::ReflectingTransposed));
        Ok(Stencil { layout, bands, offsets, coefficients, transposed, beyond })
    }

    /// Changes a coefficient.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for an offset that the stencil does not have, and a coefficient that is not finite.
    pub fn set(&mut self, offset: (i64, i64), coefficient: f32) -> Result<()> {
        if !coefficient.is_finite() {
            let (found, expected) = (coefficient.to_string(), "a finite number".to_owned());
            return Err(Error::BadParameter { name: "coefficient", found, expected });
        }
        match self.offsets.iter().position(|&known| known == offset) {
            Some(place) => {
                self.coefficients[place] = coefficient;
                Ok(())
            }
            None => {
                let expected = format!("one of {:?}", self.offsets);
                Err(Error::BadParameter { name: "offset", found: format!("{offset:?}"), expected })
            }
        }
    }

    /// Each point of the row of `index`: the place it reads and its coefficient.
    fn row(&self, index: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let (column, row) = self.layout.place(index);
        let (width, height) = (i64::from(self.layout.width()), i64::from(self.layout.height()));
        self.offsets.iter().zip(&self.coefficients).filter_map(move |(&(dx, dy), &coefficient)| {
            let (x, y) = (i64::from(column) + dx, i64::from(row) + dy);
            let inside = (0..width).contains(&x) && (0..height).contains(&y);
            let place = match (inside, self.beyond) {
                (true, _) => (y * width + x) as usize,
                (false, BoundaryCondition::Neumann) => index,
                (false, BoundaryCondition::Dirichlet) => return None,
                (false, BoundaryCondition::Periodic) => {
                    (y.rem_euclid(height) * width + x.rem_euclid(width)) as usize
                }
            };
            Some((place, f64::from(coefficient)))
        })
    }
}

impl LinearOperator for Stencil {
    fn algebra(&self) -> &Algebra {
        self.bands.algebra()
    }

    fn rows(&self) -> Packed2x2 {
        self.layout
    }

    fn columns(&self) -> Packed2x2 {
        self.layout
    }

    fn apply(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        self.check(op, x, out)?;
        self.bands.apply(op, x, Coefficients::Constants(&self.coefficients), out)
    }

    fn three_term(
        &self,
        factors: [f32; 2],
        vectors: [&Vector; 2],
        before: Option<&Vector>,
        out: &mut Vector,
    ) -> Result<()> {
        self.bands.three_term(
            self,
            Coefficients::Constants(&self.coefficients),
            factors,
            vectors,
            before,
            out,
        )
    }

    fn inlined(&self) -> Option<Inlined<'_>> {
        Inlined::of(&self.bands, Coefficients::Constants(&self.coefficients))
    }

    fn apply_transposed(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        operator::check(self.algebra(), self.layout, self.layout, op, x, out)?;
        self.transposed.apply(op, x, Coefficients::Constants(&self.coefficients), out)
    }

    fn multiply(&self, x: &[f64]) -> Vec<f64> {
        let row = |i| self.row(i).map(|(place, coefficient)| coefficient * x[place]).sum();
        (0..self.layout.len()).map(row).collect()
    }

    fn multiply_transposed(&self, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; self.layout.len()];
        for (i, &x) in x.iter().enumerate() {
            self.row(i).for_each(|(place, coefficient)| y[place] += coefficient * x);
        }
        y
    }

    fn diagonal(&self) -> Vec<f64> {
        let own = |i| self.row(i).filter(|&(place, _)| place == i).map(|(_, c)| c).sum();
        (0..self.layout.len()).map(own).collect()
    }
}
