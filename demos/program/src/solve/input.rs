//! The system A x = b as its files have it, and what a method asks of it.

use anyhow::{Result, bail};
use quadrille::numeric::Csr;
use quadrille::solve::{Preconditioning, Scales};

use crate::cli::{MethodName, PrecisionName, PreconditionerName, SolveArguments};
use crate::files::{mtx, shown};
use crate::output;

use super::singular::Singular;

/// A x = b.
pub struct System {
    pub matrix: mtx::Matrix,
    pub b: Vec<f64>,
    /// Where the iteration starts; `None` is 0.
    pub guess: Option<Vec<f64>>,
    /// The singular part, for methods on grids: b is made compatible.
    pub singular: Option<Singular>,
    /// The powers of two S that rows and columns are multiplied by on the GPU, and S A S.
    pub scaled: Option<(Scales, Csr)>,
    /// The power of two that A and b were multiplied by.
    exponent: i32,
}

/// Entries up to 2 to this power are left as they are.
const HARMLESS: i32 = 20;

impl System {
    /// Reads A, b and the guess; without --rhs, b = A·1.
    ///
    /// # Errors
    /// Those of the files, lengths that do not fit, a matrix that the method cannot take.
    pub fn read(arguments: &SolveArguments) -> Result<System> {
        let name = shown(&arguments.matrix);
        let mut matrix = mtx::read_matrix(&arguments.matrix)?;
        if arguments.method.on_grid() {
            matrix.csr = without_zeros(matrix.csr)?;
        }
        let csr = &matrix.csr;
        if let Err(error) = check(csr, arguments.method) {
            bail!("{name}: {error:#}");
        }
        let b = match &arguments.rhs {
            Some(path) => mtx::read_vector(path, csr.rows(), &format!("{name} has rows"))?,
            None => csr.multiply(&vec![1.0; csr.columns()]),
        };
        if let Some(row) = b.iter().position(|value| !value.is_finite()) {
            bail!("{name}: row {} adds up to {}", row + 1, b[row]);
        }
        let guess = match &arguments.guess {
            Some(path) => Some(mtx::read_vector(path, csr.columns(), &format!("{name} has columns"))?),
            None => None,
        };
        let singular = if arguments.method.on_grid() { Singular::of(csr) } else { None };
        System { matrix, b, guess, singular, scaled: None, exponent: 0 }.compatible().scaled(arguments)
    }

    /// The same system without what of b no x makes, where the matrix is singular.
    fn compatible(mut self) -> System {
        if let Some(singular) = &mut self.singular {
            singular.make_compatible(&mut self.b);
        }
        self
    }

    /// The matrix that the GPU works on.
    pub fn stored(&self) -> &Csr {
        self.scaled.as_ref().map_or(&self.matrix.csr, |(_, csr)| csr)
    }

    /// The same system as 32-bit floats hold it: with S A S in the place of A where its diagonal spreads far, or else
    /// with 2ᵏ A and 2ᵏ b, its largest entry between 1 and 2, where that changes no digit of either: squares of entries
    /// have to fit. Not the latter where b = 0, for then the tolerance is absolute.
    fn scaled(mut self, arguments: &SolveArguments) -> Result<System> {
        let csr = &self.matrix.csr;
        if let Some(scales) = self.scales(arguments) {
            self.scaled = Some((scales.clone(), scales.matrix(csr)?));
            return Ok(self);
        }
        let Some((row, column, largest)) = csr.triplets().max_by(|x, y| x.2.abs().total_cmp(&y.2.abs()))
        else {
            return Ok(self);
        };
        let exponent = -(largest.abs().log2().floor().clamp(-1000.0, 1000.0) as i32);
        if exponent.abs() <= HARMLESS {
            return Ok(self);
        }
        let scale = f64::from(exponent).exp2();
        let exact = |value: f64| value * scale / scale == value;
        let whole = csr.triplets().all(|entry| exact(entry.2)) && self.b.iter().all(|&value| exact(value));
        if whole && self.b.iter().any(|&value| value != 0.0) {
            let entries = csr.triplets().map(|(row, column, value)| (row, column, value * scale));
            self.matrix.csr = Csr::from_triplets(csr.rows(), csr.columns(), entries)?;
            self.b.iter_mut().for_each(|value| *value *= scale);
            self.exponent = exponent;
        } else if largest.abs() > f64::from(f32::MAX) {
            let (name, row, column) = (shown(&arguments.matrix), row + 1, column + 1);
            bail!("{name}: entry ({row}, {column}) is {largest:e}: on the GPU numbers end at {:e}", f32::MAX);
        }
        Ok(self)
    }

    /// The scales that the method needs. Where a matrix is known to be singular, constants are what its grid is about. The diagonal
    /// tells the scales of definite matrices, whose entries then lie below it: where one grows beyond, A stays as it is.
    fn scales(&self, arguments: &SolveArguments) -> Option<Scales> {
        const LARGEST: f64 = 4.0;
        let csr = &self.matrix.csr;
        let scales = match (arguments.method, arguments.preconditioner) {
            // Its solver scales the matrix itself.
            _ if arguments.precision == PrecisionName::DoubleSingle => None,
            (MethodName::Cgls, _) => None,
            (method, _) if method.on_grid() => Scales::of_grid(csr).filter(|_| self.singular.is_none()),
            (_, PreconditionerName::None | PreconditionerName::Chebyshev) => {
                Scales::of(&csr.diagonal(), Preconditioning::None)
            }
            (_, PreconditionerName::Jacobi) => Scales::of(&csr.diagonal(), Preconditioning::Jacobi),
        };
        let small = |scaled: Csr| scaled.triplets().all(|(.., value)| value.abs() <= LARGEST);
        scales.filter(|scales| scales.matrix(csr).is_ok_and(small))
    }

    /// Tells what was read, in a line.
    pub fn describe(&self, arguments: &SolveArguments) {
        let (name, mtx::Matrix { csr, stored, banner }) = (shown(&arguments.matrix), &self.matrix);
        let (rows, columns, nonzeros) = (csr.rows(), csr.columns(), csr.nonzeros());
        let of_file = entries(*stored);
        output::remark(&format!(
            "{name}: {rows} x {columns}, {banner}, {of_file} in the file, {nonzeros} in the matrix"
        ));
        if let Some((scales, _)) = &self.scaled {
            let [least, most] = scales.exponents();
            output::remark(&format!(
                "rows and columns are multiplied by 2^{least} to 2^{most}, for the sake of 32-bit floats"
            ));
        }
        if self.exponent != 0 {
            output::remark(&format!(
                "A and b are multiplied by 2^{}, for the sake of 32-bit floats",
                self.exponent
            ));
        }
    }
}

/// "1 entry", "2 entries".
pub fn entries(count: usize) -> String {
    format!("{count} entr{}", if count == 1 { "y" } else { "ies" })
}

/// The same matrix without the entries that are 0, stored or cancelled: they join no nodes.
fn without_zeros(csr: Csr) -> Result<Csr> {
    if csr.triplets().all(|entry| entry.2 != 0.0) {
        return Ok(csr);
    }
    Ok(Csr::from_triplets(csr.rows(), csr.columns(), csr.triplets().filter(|entry| entry.2 != 0.0))?)
}

/// Confirms what the method asks of the matrix.
fn check(csr: &Csr, method: MethodName) -> Result<()> {
    let (rows, columns) = (csr.rows(), csr.columns());
    if method == MethodName::Cgls {
        return Ok(());
    }
    if rows != columns {
        bail!("the matrix is {rows} x {columns}: {method} needs a square one, --method cgls takes any shape");
    }
    if method.symmetric()
        && let Some((row, column)) = asymmetry(csr)
    {
        let (here, there) = (csr.entry(row, column), csr.entry(column, row));
        let (row, column) = (row + 1, column + 1);
        let other = if method == MethodName::Mgcg { "multigrid" } else { "bicgstab" };
        bail!(
            "the matrix is not symmetric: entry ({row}, {column}) is {here}, ({column}, {row}) is {there}; \
             {method} needs it symmetric, --method {other} does not"
        );
    }
    Ok(())
}

/// The first place where A and Aᵀ differ by more than the rounding of 32-bit floats: |aᵢⱼ − aⱼᵢ| beyond
/// 2⁻²³ · max(|aᵢⱼ|, |aⱼᵢ|, √|aᵢᵢ aⱼⱼ|), the last because no entry of a positive definite matrix exceeds it.
fn asymmetry(csr: &Csr) -> Option<(usize, usize)> {
    let diagonal = csr.diagonal();
    let differs = |&(row, column, here): &(usize, usize, f64)| {
        let there = csr.entry(column, row);
        let scale =
            (diagonal[row].abs().sqrt() * diagonal[column].abs().sqrt()).max(here.abs()).max(there.abs());
        (here - there).abs() > f64::from(f32::EPSILON) * scale
    };
    csr.triplets().find(differs).map(|(row, column, _)| (row, column))
}
