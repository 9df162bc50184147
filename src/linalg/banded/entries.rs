//! Banded matrices of vectors on the GPU, and changes of their entries there.

use std::cell::OnceCell;

use super::{Banded, check_size};
use crate::gl::Texture;
use crate::layout::Packed2x2;
use crate::linalg::bands::{Bands, Kind, Shift};
use crate::linalg::entries::{self, Replacements};
use crate::linalg::{Algebra, Factor, Vector};
use crate::numeric::Csr;
use crate::{Error, Result};

const DIAGONAL: &str = "linalg/diagonal.frag";

/// The part of a diagonal that has entries: an interval of its rows, and the columns of the field whose neighbours are
/// on the field.
struct Inside {
    ends: [f32; 4],
    columns: [f32; 4],
}

impl Inside {
    /// The elements inside diagonal k. Its neighbours are `dx` columns away if it may not leave its row of the field.
    fn of(layout: Packed2x2, k: i64, dx: Option<i64>) -> Inside {
        let (n, width) = (layout.len(), i64::from(layout.width()));
        let away = (k.unsigned_abs() as usize).min(n);
        let (first, past) = if k < 0 { (away, n) } else { (0, n - away) };
        let ((x0, y0), (x1, y1)) = (layout.place(first), layout.place(past));
        let dx = dx.unwrap_or(0);
        let columns = [(-dx).max(0) as f32, (width - dx.max(0)).max(0) as f32, 0.0, 0.0];
        Inside { ends: [x0, y0, x1, y1].map(|end| end as f32), columns }
    }

    /// The elements of `values` inside, and elsewhere what was there: one pass.
    fn drawn(&self, values: &Vector, old: Option<&Texture>) -> Result<Texture> {
        let (algebra, layout) = (values.algebra(), values.layout());
        let target = algebra.texture(layout)?;
        algebra
            .pass(DIAGONAL, &[("OLD", i32::from(old.is_some()))])?
            .streams([values.texture()])
            .streams(old)
            .constants(&[self.ends, self.columns])
            .domains(&layout.texels_and_elements())
            .onto(&[&target])?;
        Ok(target)
    }
}

/// A diagonal that is being made.
struct Made {
    number: usize,
    shift: Shift,
    texture: Texture,
}

impl Banded {
    /// The matrix of these diagonals, which are vectors on the GPU: k, and a vector of the elements A(i, i + k).
    /// Elements whose column lies outside are not part of the matrix. One pass for each diagonal, without a read-back.
    ///
    /// # Errors
    /// As [`Banded::new`]; [`Error::WrongShape`] and [`Error::OtherContext`] for a vector that does not fit;
    /// [`Error::BadParameter`] for a diagonal that is given twice.
    pub fn from_vectors(
        algebra: &Algebra,
        layout: Packed2x2,
        diagonals: &[(i64, &Vector)],
    ) -> Result<Banded> {
        let (width, row) = (i64::from(layout.width()), layout.height() == 1);
        let given = diagonals.iter().map(|&(k, vector)| {
            let near = match (k % width, row) {
                (_, true) => Shift::near(k, 0),
                (0, _) => Shift::near(0, k / width),
                _ => None,
            };
            (k, None, near, vector)
        });
        Banded::made_of(algebra, layout, given)
    }

    /// The matrix of these diagonals on a grid, which are vectors on the GPU: (dx, dy), and for each cell the
    /// coefficient of the neighbour at that offset. Coefficients of neighbours off the grid are not part of the matrix.
    /// One pass for each diagonal, without a read-back.
    ///
    /// # Errors
    /// As [`Banded::from_vectors`].
    pub fn on_grid_from_vectors(
        algebra: &Algebra,
        layout: Packed2x2,
        diagonals: &[((i64, i64), &Vector)],
    ) -> Result<Banded> {
        let width = i64::from(layout.width());
        let given = diagonals.iter().map(|&((dx, dy), vector)| {
            let k = dy.saturating_mul(width).saturating_add(dx);
            (k, Some(dx), Shift::near(dx, dy), vector)
        });
        Banded::made_of(algebra, layout, given)
    }

    fn made_of<'v>(
        algebra: &Algebra,
        layout: Packed2x2,
        diagonals: impl Iterator<Item = (i64, Option<i64>, Option<Shift>, &'v Vector)>,
    ) -> Result<Banded> {
        let n = layout.len() as i64;
        let mut seen = Vec::new();
        let mut made: Vec<Made> = Vec::new();
        for (k, dx, near, vector) in diagonals {
            vector.same_context(algebra)?;
            vector.has_layout(layout, "diagonal of a banded matrix")?;
            if seen.contains(&(k, dx)) {
                let found =
                    dx.map_or(format!("{k} twice"), |dx| format!("{dx} columns away, {k} elements, twice"));
                return Err(Error::BadParameter {
                    name: "diagonal",
                    found,
                    expected: "each once".to_owned(),
                });
            }
            seen.push((k, dx));
            let off_the_row = dx.is_some_and(|dx| dx.unsigned_abs() >= u64::from(layout.width()));
            if k.unsigned_abs() >= n as u64 || off_the_row {
                continue; // no element of it is part of the matrix
            }
            let number = k.rem_euclid(n) as usize;
            let (columns, rows) = layout.place(number);
            let far = Shift::Far(columns, rows);
            let inside = Inside::of(layout, k, dx);
            match made.iter_mut().find(|made| made.number == number) {
                // Two that share a vector are read along the folded array.
                Some(shared) => {
                    shared.texture = inside.drawn(vector, Some(&shared.texture))?;
                    shared.shift = far;
                }
                None => {
                    check_size(layout, made.len() + 1)?;
                    let texture = inside.drawn(vector, None)?;
                    made.push(Made { number, shift: near.unwrap_or(far), texture });
                }
            }
        }
        made.sort_by_key(|made| made.number);
        let shifts = made.iter().map(|made| made.shift).collect();
        Ok(Banded {
            algebra: algebra.clone(),
            layout,
            matrix: OnceCell::new(),
            bands: Bands::new(algebra, layout, Kind::Vectors, shifts),
            numbers: made.iter().map(|made| made.number).collect(),
            diagonals: made.into_iter().map(|made| made.texture).collect(),
            transposed: OnceCell::new(),
        })
    }

    /// Replaces diagonal k, which must be stored, by a vector on the GPU, with one pass and no read-back. Elements
    /// whose column lies outside the matrix are left out. If the diagonal is read as a neighbour on the field, elements
    /// off the field are left out too: a five-point matrix stays one. After a change, the first
    /// [`matrix`](Banded::matrix), product in f64 or product with Aᵀ reads the diagonals back once.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for a diagonal that is not stored; [`Error::WrongShape`], [`Error::OtherContext`],
    /// [`Error::OutOfMemory`].
    pub fn set_diagonal(&mut self, k: i64, values: &Vector) -> Result<()> {
        values.same_context(&self.algebra)?;
        values.has_layout(self.layout, "diagonal of a banded matrix")?;
        let n = self.layout.len() as i64;
        let stored = self.numbers.iter().zip(self.bands.shifts()).position(|(&number, &shift)| {
            let reads = |dx: i32, dy: i32| i64::from(dx) + i64::from(dy) * i64::from(self.layout.width());
            k.unsigned_abs() < n as u64
                && k.rem_euclid(n) as usize == number
                && !matches!(shift, Shift::Near(dx, dy) if reads(dx, dy) != k)
        });
        let Some(place) = stored else {
            let expected = "a diagonal that is stored".to_owned();
            return Err(Error::BadParameter { name: "diagonal", found: k.to_string(), expected });
        };
        let dx = match self.bands.shifts()[place] {
            Shift::Near(dx, _) => Some(i64::from(dx)),
            Shift::Far(..) => None,
        };
        self.diagonals[place] = Inside::of(self.layout, k, dx).drawn(values, Some(&self.diagonals[place]))?;
        self.has_changed();
        Ok(())
    }

    /// A = a A, for a constant or a scalar on the GPU: one pass for each diagonal, without a read-back.
    ///
    /// # Errors
    /// [`Error::OtherContext`], [`Error::OutOfMemory`].
    pub fn scale<'a>(&mut self, a: impl Into<Factor<'a>>) -> Result<()> {
        entries::scale(&self.algebra, a.into(), &mut self.diagonals)?;
        self.has_changed();
        Ok(())
    }

    /// A = A + B, whose diagonals A has, too.
    ///
    /// # Errors
    /// As [`Banded::axpy`].
    pub fn add(&mut self, b: &Banded) -> Result<()> {
        self.axpy(1.0, b)
    }

    /// A = A + a B, if A stores all diagonals of B and reads them in the same way: one pass for each of B's, without a
    /// read-back.
    ///
    /// # Errors
    /// [`Error::WrongShape`] for another layout, and for a diagonal that A does not store; as [`Banded::scale`].
    pub fn axpy<'a>(&mut self, a: impl Into<Factor<'a>>, b: &Banded) -> Result<()> {
        if !self.algebra.is(&b.algebra) {
            return Err(Error::OtherContext { what: "a banded matrix".into() });
        }
        let refused = |found: String, expected: String| {
            Err(Error::WrongShape { what: "sum of banded matrices".into(), found, expected })
        };
        if self.layout != b.layout {
            return refused(b.layout.to_string(), self.layout.to_string());
        }
        let mut others = vec![None; self.diagonals.len()];
        for ((number, shift), texture) in b.numbers.iter().zip(b.bands.shifts()).zip(&b.diagonals) {
            let own = self.numbers.iter().zip(self.bands.shifts());
            match own.into_iter().position(|own| own == (number, shift)) {
                Some(place) => others[place] = Some(texture),
                None => {
                    let found = format!("diagonal {number} of {}", self.layout.len());
                    return refused(
                        found,
                        "one that the other stores, from the same cells of the field".into(),
                    );
                }
            }
        }
        entries::add(&self.algebra, a.into(), &mut self.diagonals, &others)?;
        self.has_changed();
        Ok(())
    }

    /// Replaces entries by (row, column, value): two passes over the texels of each diagonal concerned. Only entries of
    /// stored diagonals can be replaced. If a place is listed twice, the last value counts.
    ///
    /// # Errors
    /// [`Error::OutsideMatrix`]; [`Error::BadParameter`] for an entry that has no place; [`Error::OutOfMemory`]. The first
    /// two change nothing.
    pub fn set_entries(&mut self, values: &[(usize, usize, f64)]) -> Result<()> {
        let (layout, n) = (self.layout, self.layout.len());
        entries::check_inside(values, (n, n))?;
        let mut replacements: Vec<Replacements> = Vec::new();
        replacements.resize_with(self.diagonals.len(), Replacements::default);
        for &(row, column, value) in values {
            let number = (column + n - row) % n;
            let (from, to) = (layout.place(row), layout.place(column));
            let away = (i64::from(to.0) - i64::from(from.0), i64::from(to.1) - i64::from(from.1));
            let mut stored = self.numbers.iter().zip(self.bands.shifts());
            let place = stored.position(|(&stored, &shift)| {
                let reads = match shift {
                    Shift::Near(dx, dy) => away == (i64::from(dx), i64::from(dy)),
                    Shift::Far(..) => true,
                };
                stored == number && reads
            });
            let Some(place) = place else { return Err(entries::no_place("banded matrix", (row, column))) };
            let channel = 2 * (from.1 % 2) + from.0 % 2;
            replacements[place].put((from.0 / 2, from.1 / 2), channel as usize, value as f32);
        }
        self.has_changed(); // before the first pass: whatever ends this half-way, no copy in f64 is older than the textures
        for (replacements, texture) in replacements.iter().zip(&self.diagonals) {
            replacements.draw(&self.algebra, texture)?;
        }
        Ok(())
    }

    fn has_changed(&mut self) {
        self.matrix = OnceCell::new();
        self.transposed = OnceCell::new();
    }

    /// The entries of the diagonals, without zeros.
    pub(super) fn read(&self) -> Result<Csr> {
        let n = self.layout.len();
        let mut triplets = Vec::new();
        for (number, texture) in self.numbers.iter().zip(&self.diagonals) {
            let values = self.layout.unpack(&texture.read(texture.shape().rect())?);
            let kept = values.into_iter().enumerate().filter(|(_, value)| *value != 0.0);
            triplets.extend(kept.map(|(row, value)| (row, (row + number) % n, f64::from(value))));
        }
        Csr::from_triplets(n, n, triplets)
    }
}
