//! Matrices whose rows and columns have units of their own.

use quadrille::numeric::{Csr, Random};

use super::{Result, coordinates, json, vector};
use crate::program::Program;

/// D P D of the five-point matrix, D over `decades` powers of ten up and down.
fn stretched(width: usize, height: usize, decades: f64) -> Result<Csr> {
    let mut random = Random(7);
    let d: Vec<f64> = (0..width * height).map(|_| 10f64.powf(decades * f64::from(random.signed()))).collect();
    let entries = Csr::poisson(width, height)?;
    let entries = entries.triplets().map(|(row, column, value)| (row, column, d[row] * value * d[column]));
    Ok(Csr::from_triplets(width * height, width * height, entries.collect::<Vec<_>>())?)
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// b = A·1, by every method for square matrices; what is written has the residual that is said, in f64.
#[test]
fn rows_and_columns_over_thirty_decades_are_solved_by_every_method() -> Result<()> {
    let program = Program::new()?;
    for (name, decades) in [("eight.mtx", 8.0), ("fifteen.mtx", 15.0)] {
        let matrix = stretched(21, 19, decades)?;
        std::fs::write(program.path(name), coordinates(&matrix, true))?;
        let b = matrix.multiply(&vec![1.0; matrix.columns()]);
        let mut counts = Vec::new();
        for method in [
            "cg",
            "cg --preconditioner jacobi",
            "bicgstab",
            "multigrid --max-iterations 300",
            "mgcg",
            "multigrid --cycle full",
        ] {
            let (status, said) = json(&program, &format!("{name} --method {method} --out x.mtx"))?;
            assert_eq!((status, &said["converged"]), (Some(0), &true.into()), "{name} {method}: {said}");
            let product = matrix.multiply(&vector(&program, "x.mtx")?);
            let r: Vec<f64> = b.iter().zip(product).map(|(b, p)| b - p).collect();
            let truth = norm(&r) / norm(&b);
            assert!(truth <= 1e-6, "{name} {method}: {truth:e}");
            let reported = said["relative_residual"].as_f64().unwrap_or(f64::NAN);
            assert!((reported - truth).abs() <= 1e-6 * truth, "{name} {method}: {reported:e}, {truth:e}");
            counts.push((method, said["iterations"].as_u64().unwrap_or(u64::MAX)));
        }
        // A cycle knows more of a grid than its diagonal does.
        assert!(counts[4].1 <= counts[1].1, "{name}: {counts:?}");
        assert!(counts.iter().all(|count| count.1 <= 300), "{name}: {counts:?}");
    }
    let said = program.run("solve eight.mtx --verbose")?;
    assert!(said.err.contains("rows and columns are multiplied by 2^"), "{}", said.err);
    Ok(())
}

/// Two unknowns that 32 bits hold as they are: nothing is scaled, and nothing is said.
#[test]
fn what_needs_no_scaling_is_left_alone() -> Result<()> {
    let program = Program::new()?;
    std::fs::write(program.path("plain.mtx"), coordinates(&stretched(7, 5, 1.0)?, true))?;
    let said = program.run("solve plain.mtx --verbose --preconditioner jacobi")?;
    assert!(!said.err.contains("multiplied by"), "{}", said.err);
    Ok(())
}

/// A tiny entry on the diagonal of a matrix that is not definite says nothing of its row: scaled by it, the others would be a
/// million.
#[test]
fn what_scaling_would_make_large_is_left_alone() -> Result<()> {
    let program = Program::new()?;
    let n = 40;
    let entries = (0..n).map(|i| (i, i, if i == 20 { 1e-12 } else { 4.0 }));
    let sides = (1..n).flat_map(|i| [(i, i - 1, 1.0), (i - 1, i, -0.5)]);
    let matrix = Csr::from_triplets(n, n, entries.chain(sides).collect::<Vec<_>>())?;
    std::fs::write(program.path("tiny.mtx"), coordinates(&matrix, false))?;
    let said = program.run("solve tiny.mtx --verbose --method bicgstab --out x.mtx")?;
    assert_eq!((said.status, said.err.contains("multiplied by")), (Some(0), false), "{}", said.err);
    let product = matrix.multiply(&vector(&program, "x.mtx")?);
    let b = matrix.multiply(&vec![1.0; n]);
    let r: Vec<f64> = b.iter().zip(product).map(|(b, p)| b - p).collect();
    assert!(norm(&r) <= 1e-6 * norm(&b), "{:e}", norm(&r) / norm(&b));
    Ok(())
}
