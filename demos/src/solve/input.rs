//! The system A x = b as its files have it, and what a method asks of it.

use anyhow::{Result, bail};
use quadrille::reference::Csr;

use crate::cli::{MethodName, SolveArguments};
use crate::files::mtx;
use crate::output;

/// A x = b.
pub struct System {
    pub matrix: mtx::Matrix,
    pub b: Vec<f64>,
    /// Where the iteration starts; `None` is 0.
    pub guess: Option<Vec<f64>>,
}

impl System {
    /// Reads A, b and the guess; without --rhs, b = A·1.
    ///
    /// # Errors
    /// Those of the files, lengths that do not fit, a matrix that the method cannot take.
    pub fn read(arguments: &SolveArguments) -> Result<System> {
        let name = arguments.matrix.display();
        let matrix = mtx::read_matrix(&arguments.matrix)?;
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
        Ok(System { matrix, b, guess })
    }

    /// What was read, in a line.
    pub fn describe(&self, arguments: &SolveArguments) {
        let (name, mtx::Matrix { csr, stored, banner }) = (arguments.matrix.display(), &self.matrix);
        let (rows, columns, nonzeros) = (csr.rows(), csr.columns(), csr.nonzeros());
        output::remark(&format!(
            "{name}: {rows} x {columns}, {banner}, {stored} entries in the file, {nonzeros} in the matrix"
        ));
    }
}

/// What the method and 32-bit floats ask of the matrix.
fn check(csr: &Csr, method: MethodName) -> Result<()> {
    let (rows, columns) = (csr.rows(), csr.columns());
    if let Some((row, column, value)) = csr.triplets().find(|entry| entry.2.abs() > f64::from(f32::MAX)) {
        let place = format!("({}, {})", row + 1, column + 1);
        bail!("entry {place} is {value:e}: on the GPU numbers end at {:e}", f32::MAX);
    }
    if method == MethodName::Cgls {
        return Ok(());
    }
    if rows != columns {
        bail!("the matrix is {rows} x {columns}: {method} needs a square one, --method cgls takes any shape");
    }
    if method == MethodName::Cg
        && let Some((row, column)) = asymmetry(csr)
    {
        let (here, there) = (csr.entry(row, column), csr.entry(column, row));
        let (row, column) = (row + 1, column + 1);
        bail!(
            "the matrix is not symmetric: entry ({row}, {column}) is {here}, ({column}, {row}) is {there}; \
             cg needs it symmetric, --method bicgstab does not"
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
