//! The command line of `quadrille solve`.

use std::fmt::{Display, Formatter};
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};

use super::{ContextArguments, Size};

#[derive(Args)]
pub struct SolveArguments {
    /// The matrix A: real, integer or pattern; general, symmetric or skew-symmetric; coordinate or array
    #[arg(value_name = "A.mtx")]
    pub matrix: PathBuf,
    /// The right-hand side b, n x 1; without it b = A·1, and the error against x = 1 is reported
    #[arg(long, value_name = "b.mtx")]
    pub rhs: Option<PathBuf>,
    /// Where the iteration starts [default: 0]
    #[arg(long, value_name = "x.mtx")]
    pub guess: Option<PathBuf>,
    /// Where the solution goes, converged or not
    #[arg(long, value_name = "x.mtx")]
    pub out: Option<PathBuf>,
    /// How the matrix lies in textures; auto goes by its structure, or by the costs that `bench costs` has kept, and
    /// --verbose says why
    #[arg(long, value_enum, default_value = "auto")]
    pub storage: StorageName,
    /// cg: symmetric positive definite; bicgstab: square; cgls: any shape, least squares; multigrid, mgcg (cg preconditioned
    /// by a cycle): nine points on a grid
    #[arg(long, value_enum, default_value = "cg")]
    pub method: MethodName,
    /// jacobi divides by the diagonal; cgls takes none. chebyshev, for cg: a polynomial of A, products alone, where passes that write
    /// and sums are dear
    #[arg(long, value_enum, default_value = "none")]
    pub preconditioner: PreconditionerName,
    /// Terms of the polynomial of --preconditioner chebyshev [default: 12]
    #[arg(long, value_name = "M", allow_negative_numbers = true, value_parser = terms)]
    pub terms: Option<usize>,
    /// The numbers of the GPU. double-single: 48 bits as the sum of two floats, twice the time an iteration, for matrices of a
    /// condition near 1e6 and beyond; cg without a preconditioner, storages banded and gather, a driver that keeps rounding
    /// errors (quadrille info)
    #[arg(long, value_enum, default_value = "single")]
    pub precision: PrecisionName,
    /// When to stop: the norm of b - A x in 64 bits, relative to that of b (absolute if b = 0); for cgls the same
    /// of the normal equations will do. multigrid and mgcg of a singular matrix: relative to what is left of b once what no
    /// x makes is taken out
    #[arg(long, value_name = "T", default_value = "1e-6", allow_negative_numbers = true, value_parser = tolerance)]
    pub tolerance: f64,
    /// How many iterations at most [default: 10000]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = iterations)]
    pub max_iterations: Option<usize>,
    /// The relative residual after each iteration as the iteration has it, in 32 bits, where it may be too good to be true;
    /// for cgls that of the normal equations
    #[arg(long, value_name = "FILE.csv")]
    pub history: Option<PathBuf>,
    /// The same as a picture, on a logarithmic axis
    #[arg(long, value_name = "FILE.png")]
    pub plot: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Say on stderr what was read, which storage was chosen and why
    #[arg(long)]
    pub verbose: bool,
    #[command(flatten)]
    pub multigrid: MultigridArguments,
    #[command(flatten)]
    pub context: ContextArguments,
}

/// The flags of --method multigrid and mgcg alone.
#[derive(Args)]
#[command(next_help_heading = "Multigrid and mgcg")]
pub struct MultigridArguments {
    /// Columns and rows of the grid [default: as the entries suggest; --verbose says which]
    #[arg(long, value_name = "WxH")]
    pub grid: Option<Size>,
    /// v, w, or full: full multigrid first, then v [default: v]
    #[arg(long, value_enum)]
    pub cycle: Option<CycleName>,
    /// Sweeps before and after the correction; for mgcg as many after as before [default: 2,2]
    #[arg(long, value_name = "N[,N]")]
    pub sweeps: Option<Sweeps>,
    /// jacobi is damped by 0.8 [default: jacobi]
    #[arg(long, value_enum)]
    pub smoother: Option<SmootherName>,
}

impl MultigridArguments {
    /// The first of its flags that was given.
    pub fn given(&self) -> Option<&'static str> {
        let flags = [
            ("--grid", self.grid.is_some()),
            ("--cycle", self.cycle.is_some()),
            ("--sweeps", self.sweeps.is_some()),
            ("--smoother", self.smoother.is_some()),
        ];
        flags.into_iter().find(|flag| flag.1).map(|flag| flag.0)
    }
}

#[derive(Clone, Copy, Default, PartialEq, ValueEnum)]
pub enum CycleName {
    #[default]
    V,
    W,
    Full,
}

#[derive(Clone, Copy, Default, PartialEq, ValueEnum)]
pub enum SmootherName {
    #[default]
    Jacobi,
    RedBlack,
}

/// Sweeps before and after the correction, as in V(2,2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sweeps {
    pub before: u32,
    pub after: u32,
}

impl Default for Sweeps {
    fn default() -> Sweeps {
        Sweeps { before: 2, after: 2 }
    }
}

impl FromStr for Sweeps {
    type Err = String;

    fn from_str(text: &str) -> Result<Sweeps, String> {
        let (before, after) = text.split_once(',').unwrap_or((text, text));
        match (before.trim().parse(), after.trim().parse()) {
            (Ok(before @ 0..=100), Ok(after @ 0..=100)) if before + after > 0 => Ok(Sweeps { before, after }),
            _ => Err("expected N or N,N, as in 2 or 4,2: 0 to 100 each, and not 0,0".to_owned()),
        }
    }
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum StorageName {
    Auto,
    Dense,
    Banded,
    Points,
    Gather,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum MethodName {
    Cg,
    Bicgstab,
    Cgls,
    Multigrid,
    Mgcg,
}

impl MethodName {
    /// Returns true if it needs a grid.
    pub fn on_grid(self) -> bool {
        matches!(self, MethodName::Multigrid | MethodName::Mgcg)
    }

    /// Returns true if it needs a symmetric matrix.
    pub fn symmetric(self) -> bool {
        matches!(self, MethodName::Cg | MethodName::Mgcg)
    }
}

impl Display for MethodName {
    fn fmt(&self, f: &mut Formatter) -> std::fmt::Result {
        f.write_str(match self {
            MethodName::Cg => "cg",
            MethodName::Bicgstab => "bicgstab",
            MethodName::Cgls => "cgls",
            MethodName::Multigrid => "multigrid",
            MethodName::Mgcg => "mgcg",
        })
    }
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum PreconditionerName {
    None,
    Jacobi,
    Chebyshev,
}

impl Display for PreconditionerName {
    fn fmt(&self, f: &mut Formatter) -> std::fmt::Result {
        f.write_str(match self {
            PreconditionerName::None => "none",
            PreconditionerName::Jacobi => "jacobi",
            PreconditionerName::Chebyshev => "chebyshev",
        })
    }
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum PrecisionName {
    Single,
    DoubleSingle,
}

impl Display for PrecisionName {
    fn fmt(&self, f: &mut Formatter) -> std::fmt::Result {
        f.write_str(match self {
            PrecisionName::Single => "single",
            PrecisionName::DoubleSingle => "double-single",
        })
    }
}

fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(tolerance) if tolerance > 0.0 && f64::is_finite(tolerance) => Ok(tolerance),
        _ => Err("expected a finite number above 0, as in 1e-6".to_owned()),
    }
}

fn terms(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(terms @ 2..=100) => Ok(terms),
        _ => Err("expected a whole number from 2 to 100".to_owned()),
    }
}

fn iterations(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(iterations) if iterations > 0 => Ok(iterations),
        _ => Err("expected a whole number above 0".to_owned()),
    }
}
