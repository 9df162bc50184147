//! Refusals of linear algebra, read by somebody who sees the line alone: what, what was found, what was expected.

use super::support::{on_card, on_gpu, refusal};
use quadrille::layout::Packed2x2;
use quadrille::linalg::{
    Algebra, Banded, BoundaryCondition, Dense, Diagonal, LinearOperator, Op, Points, Stencil, Sum, Vector,
};
use quadrille::numeric::Csr;
use quadrille::pug::Access;
use quadrille::{Error, Gpu, Limits, Result};

#[test]
fn vectors_of_wrong_lengths_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let layout = Packed2x2::grid(3, 2)?;
        let line = "vector: 5 values given, 6 expected (6 elements in 3x2)";
        assert_eq!(refusal(algebra.vector(layout, &[1.0; 5])), line);
        assert_eq!(refusal(algebra.zeros(layout)?.set(&[1.0; 5])), line);
        assert_eq!(refusal(Diagonal::new(&algebra, layout, &[1.0; 5])), line);
        assert_eq!(refusal(Packed2x2::folded(0)), "vector: size 0x0 has no elements");
        assert_eq!(refusal(Packed2x2::grid(3, 0)), "vector: size 3x0 has no elements");
        let line = refusal(Packed2x2::folded_by(usize::MAX, 2));
        let most = usize::MAX;
        assert_eq!(
            line,
            format!("vector of {most} elements in rows of 2: length is {most}, the limit is 2147483647")
        );
        Ok(())
    })
}

#[test]
fn vectors_beyond_the_limits_are_refused_before_memory_is_asked_for() -> Result<()> {
    let card = Limits { name: "small", texture_size: 16, ..Limits::GEFORCE_6800 };
    on_card(card, |gpu| {
        let algebra = Algebra::new(gpu);
        algebra.zeros(Packed2x2::grid(32, 32)?)?;
        let layout = Packed2x2::grid(33, 32)?;
        let line = "vector of 1056 elements in 33x32: width is 17, the limit is 16";
        assert_eq!(refusal(algebra.zeros(layout)), line);
        assert_eq!(refusal(algebra.vector(layout, &[0.0; 1056])), line);
        // As many as the memory of the machine counts.
        for side in [u32::MAX, 1 << 31, 100_000, 65_000]
            .into_iter()
            .filter(|&side| (side as usize).checked_pow(2).is_some())
        {
            assert!(refusal(algebra.zeros(Packed2x2::grid(side, side)?)).contains("the limit is 16"));
            let huge = Packed2x2::grid(side, side)?;
            let line = refusal(Dense::new(&algebra, huge, huge, &[1.0]));
            assert!(line.starts_with("dense matrix: 1 values given, "), "{line}");
        }
        let line = refusal(algebra.zeros(Packed2x2::folded(i32::MAX as usize)?));
        assert!(line.ends_with("the limit is 16"), "{line}");
        let wide = Packed2x2::folded_by(40, 40)?;
        let line = refusal(Dense::new(&algebra, Packed2x2::folded(2)?, wide, &[1.0; 80]));
        assert_eq!(
            line,
            "dense matrix from vectors of 40 elements in 40x1 to 2 elements in 2x1: texture size is 80, the limit is 16"
        );
        let widest = Packed2x2::folded_by(5, i32::MAX as usize)?;
        let line = refusal(Dense::new(&algebra, Packed2x2::folded(2)?, widest, &[1.0; 10]));
        assert!(line.ends_with("texture size is 4294967296, the limit is 16"), "{line}");
        let line = refusal(Banded::new(&algebra, layout, Csr::poisson(33, 32)?));
        assert_eq!(line, "vector of 1056 elements in 33x32: width is 17, the limit is 16");
        let many = Packed2x2::folded(30_000)?;
        let line = "dense matrix of 30000 x 30000: elements is 900000000, the limit is 536870912";
        let empty = Csr::from_triplets(30_000, 30_000, [])?;
        assert_eq!(refusal(Dense::from_csr(&algebra, many, many, &empty)), line);
        let small = algebra.zeros(Packed2x2::grid(1, 1)?)?;
        assert_eq!(refusal(Dense::from_columns(&algebra, many, many, &vec![&small; 30_000])), line);
        Ok(())
    })
}

#[test]
fn operands_of_other_layouts_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let (wide, high) = (Packed2x2::grid(3, 2)?, Packed2x2::grid(2, 3)?);
        let (mut x, mut y) = (algebra.zeros(wide)?, algebra.zeros(high)?);
        let mut scalar = algebra.scalar(0.0)?;
        let operation = "vector operation: 6 elements in 2x3, expected 6 elements in 3x2";
        assert_eq!(refusal(x.copy_from(&y)), operation);
        assert_eq!(refusal(x.axpy(1.0, &y)), operation);
        assert_eq!(refusal(x.aypx(1.0, &y)), operation);
        assert_eq!(refusal(x.mul(&y)), operation);
        let again = algebra.zeros(wide)?;
        assert_eq!(refusal(x.set_sum(1.0, &again, 1.0, &y)), operation);
        assert_eq!(refusal(x.set_product_sum(1.0, (&again, &again), 1.0, &y)), operation);
        assert_eq!(
            refusal(y.dot(&x, &mut scalar)),
            "dot product: 6 elements in 2x3, expected 6 elements in 3x2"
        );
        let a = Diagonal::new(&algebra, wide, &[1.0; 6])?;
        let line = "vector that a matrix multiplies: 6 elements in 2x3, expected 6 elements in 3x2";
        assert_eq!(refusal(a.apply(Op::Null, &y, &mut x)), line);
        let line = "result of a matrix product: 6 elements in 2x3, expected 6 elements in 3x2";
        assert_eq!(refusal(a.apply(Op::Null, &x, &mut y)), line);
        assert_eq!(refusal(a.apply_transposed(Op::Null, &x, &mut y)), line);
        let line = "vector added to a matrix product: 6 elements in 2x3, expected 6 elements in 3x2";
        assert_eq!(refusal(a.apply(Op::Sub(&y), &again, &mut x)), line);
        Ok(())
    })
}

#[test]
fn grids_that_do_not_fit_a_vector_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let mut x = Algebra::new(gpu).zeros(Packed2x2::grid(3, 2)?)?;
        let expected = "expected 3x2 elements of 1 component";
        for (grid, what) in
            [(gpu.buffer(2, 3), "buffer 2x3x1"), (gpu.buffer(3, 2).components(2), "buffer 3x2x2")]
        {
            let grid = grid.build()?;
            assert_eq!(refusal(x.unpack(&grid)), format!("unpacked vector: {what}, {expected}"));
            assert_eq!(refusal(x.pack(&grid)), format!("unpacked vector: {what}, {expected}"));
        }
        let read = gpu.buffer(3, 2).access(Access::Read).init(&[1.0; 6])?;
        x.pack(&read)?;
        assert_eq!(refusal(x.unpack(&read)), "buffer 3x2x1 is read-only: it cannot be written by a pass");
        let write = gpu.buffer(3, 2).access(Access::Write).build()?;
        x.unpack(&write)?;
        assert_eq!(refusal(x.pack(&write)), "buffer 3x2x1 is write-only: it cannot be bound to a stream");
        let other = Gpu::headless()?;
        let foreign = other.buffer(3, 2).build()?;
        assert_eq!(refusal(x.pack(&foreign)), "buffer 3x2x1 belongs to another context");
        assert_eq!(refusal(x.unpack(&foreign)), "buffer 3x2x1 belongs to another context");
        Ok(())
    })
}

/// One of each storage, from vectors of 6 to vectors of 6.
fn storages(gpu: &Gpu) -> Result<Vec<Box<dyn LinearOperator>>> {
    let (algebra, six, matrix) = (Algebra::new(gpu), Packed2x2::grid(3, 2)?, Csr::poisson(3, 2)?);
    let points = || Points::new(&algebra, six, six, matrix.clone());
    Ok(vec![
        Box::new(Banded::new(&algebra, six, matrix.clone())?),
        Box::new(Stencil::new(&algebra, six, BoundaryCondition::Dirichlet, &[((0, 0), 1.0)])?),
        Box::new(Dense::from_csr(&algebra, six, six, &matrix)?),
        Box::new(points()?),
        Box::new(Diagonal::new(&algebra, six, &[1.0; 6])?),
        Box::new(Sum::new(points()?, points()?)?),
    ])
}

#[test]
fn nothing_of_another_context_is_taken() -> Result<()> {
    on_gpu(|gpu| {
        let other = Gpu::headless()?;
        let (here, there) = (Algebra::new(gpu), Algebra::new(&other));
        let six = Packed2x2::grid(3, 2)?;
        let vector = "a vector belongs to another context";
        let (mut x, y) = (here.zeros(six)?, there.zeros(six)?);
        let (mut scalar, mut foreign) = (here.scalar(1.0)?, there.scalar(1.0)?);
        assert_eq!(refusal(x.add(&y)), vector);
        assert_eq!(refusal(x.dot(&y, &mut scalar)), vector);
        assert_eq!(refusal(x.axpy(&foreign, &here.zeros(six)?)), vector);
        for reduce in [Vector::sum, Vector::max, Vector::min, Vector::max_magnitude] {
            assert_eq!(refusal(reduce(&x, &mut foreign)), vector);
        }
        assert_eq!(
            refusal(scalar.add(&foreign, &mut here.scalar(0.0)?)),
            "a scalar belongs to another context"
        );
        assert_eq!(
            refusal(scalar.mul(&here.scalar(0.0)?, &mut foreign)),
            "a scalar belongs to another context"
        );
        for (k, a) in storages(gpu)?.iter().enumerate() {
            let mut out = here.zeros(six)?;
            let mut far = there.zeros(six)?;
            assert_eq!(refusal(a.apply(Op::Null, &y, &mut out)), vector, "{k}");
            assert_eq!(refusal(a.apply(Op::Null, &x, &mut far)), vector, "{k}");
            assert_eq!(refusal(a.apply(Op::Null, &y, &mut far)), vector, "{k}: both of them");
            assert_eq!(refusal(a.apply_transposed(Op::Null, &y, &mut far)), vector, "{k}: both of them");
            assert_eq!(refusal(a.apply(Op::Add(&y), &x, &mut out)), vector, "{k}");
            a.apply(Op::Null, &x, &mut out)?;
        }
        let points = |algebra: &Algebra| Points::new(algebra, six, six, Csr::poisson(3, 2)?);
        let line = refusal(Sum::new(points(&here)?, points(&there)?));
        assert_eq!(line, "a matrix of a sum belongs to another context");
        other.context().check("another context")
    })
}

#[test]
fn matrices_that_do_not_fit_their_layouts_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let (two, three) = (Packed2x2::folded(2)?, Packed2x2::folded(3)?);
        let matrix = Csr::from_triplets(2, 3, [(0, 0, 1.0)])?;
        let expected = |rows: usize, columns: usize| {
            format!("2 rows and 3 columns, expected {rows} and {columns}, as the layouts have")
        };
        let banded = Banded::new(&algebra, two, matrix.clone());
        assert_eq!(refusal(banded), format!("banded matrix: {}", expected(2, 2)));
        let dense = Dense::from_csr(&algebra, three, two, &matrix);
        assert_eq!(refusal(dense), format!("dense matrix: {}", expected(3, 2)));
        let points = Points::new(&algebra, three, three, matrix.clone());
        assert_eq!(refusal(points), format!("matrix of points: {}", expected(3, 3)));
        let dense = Dense::new(&algebra, two, three, &[1.0; 5]);
        assert_eq!(refusal(dense), "dense matrix: 5 values given, 6 expected (2 x 3)");
        let line = "diagonal: 2 values given, 3 expected (3 elements in 2x2)";
        assert_eq!(
            refusal(Banded::from_diagonals(&algebra, three, &[(0, vec![1.0; 3]), (1, vec![1.0; 2])])),
            line
        );
        assert_eq!(refusal(Banded::on_grid(&algebra, three, &[((0, 0), vec![1.0; 2])])), line);
        let square = |layout| Diagonal::new(&algebra, layout, &[1.0; 4]);
        let sum = Sum::new(square(Packed2x2::grid(2, 2)?)?, square(Packed2x2::grid(4, 1)?)?);
        let line = "sum of matrices: a matrix from 4 elements in 4x1 to 4 elements in 4x1, \
                    expected a matrix from 4 elements in 2x2 to 4 elements in 2x2";
        assert_eq!(refusal(sum), line);
        Ok(())
    })
}

#[test]
fn diagonals_far_outside_are_no_part_of_the_matrix() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, three) = (Algebra::new(gpu), Packed2x2::folded(3)?);
        let far = [i64::MIN, i64::MIN + 1, -3, 3, i64::MAX - 1, i64::MAX];
        let diagonals: Vec<_> = far.iter().map(|&k| (k, vec![1.0; 3])).collect();
        let a = Banded::from_diagonals(&algebra, three, &diagonals)?;
        assert_eq!((a.matrix()?.nonzeros(), a.passes()), (0, 0));
        let places = far.iter().flat_map(|&dx| far.map(move |dy| (dx, dy)));
        let diagonals: Vec<_> = places.chain(far.map(|dy| (0, dy))).map(|d| (d, vec![1.0; 3])).collect();
        assert_eq!(Banded::on_grid(&algebra, three, &diagonals)?.matrix()?.nonzeros(), 0);
        Ok(())
    })
}

#[test]
fn stencils_that_make_no_sense_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, grid) = (Algebra::new(gpu), Packed2x2::grid(4, 4)?);
        let refused = |layout, beyond, points: &[((i64, i64), f32)]| {
            refusal(Stencil::new(&algebra, layout, beyond, points))
        };
        for (dx, dy) in [(15, 0), (0, -15), (i64::MIN, 0), (0, i64::MAX)] {
            let line = refused(grid, BoundaryCondition::Dirichlet, &[((dx, dy), 2.0)]);
            assert_eq!(line, format!("stencil = 2 at ({dx}, {dy}): expected offsets from -14 to 14"));
        }
        let line = refused(grid, BoundaryCondition::Dirichlet, &[((1, 0), 2.0), ((1, 0), 3.0)]);
        assert_eq!(line, "stencil = 3 at (1, 0): expected one finite coefficient an offset");
        let line = refused(grid, BoundaryCondition::Dirichlet, &[((1, 0), f32::NAN)]);
        assert_eq!(line, "stencil = NaN at (1, 0): expected one finite coefficient an offset");
        let line = refused(grid, BoundaryCondition::Periodic, &[((1, 0), 2.0)]);
        assert!(line.contains("periodic sides") && line.contains("Dirichlet or Neumann"), "{line}");
        let line = refused(grid, BoundaryCondition::Neumann, &[((1, 1), 2.0)]);
        assert_eq!(
            line,
            "stencil = 2 at (1, 1): expected the cell itself and its four neighbours, at reflecting edges"
        );
        let line = refused(Packed2x2::folded(7)?, BoundaryCondition::Dirichlet, &[((0, 0), 1.0)]);
        assert_eq!(line, "stencil = 7 elements in 4x2: expected a full grid");
        let mut stencil =
            Stencil::new(&algebra, grid, BoundaryCondition::Dirichlet, &[((0, 0), 4.0), ((1, 0), 1.0)])?;
        assert_eq!(refusal(stencil.set((0, 1), 1.0)), "offset = (0, 1): expected one of [(0, 0), (1, 0)]");
        assert_eq!(
            refusal(stencil.set((0, 0), f32::INFINITY)),
            "coefficient = inf: expected a finite number"
        );
        Ok(())
    })
}

#[test]
fn sparse_matrices_that_are_none_are_refused() {
    assert_eq!(refusal(Csr::from_triplets(0, 3, [])), "matrix: size 3x0 has no elements");
    let line = "entry (2, 5) lies outside the matrix of 3 rows and 4 columns";
    assert_eq!(refusal(Csr::from_triplets(3, 4, [(0, 0, 1.0), (2, 5, 1.0)])), line);
    for (starts, places) in
        [(&[0, 1][..], &[0][..]), (&[0, 2, 1], &[0]), (&[1, 1, 1], &[0]), (&[0, 1, 1], &[0, 1]), (&[], &[])]
    {
        let outcome = Csr::new(2, 2, starts, places, &[1.0]);
        assert!(matches!(outcome, Err(Error::WrongLength { .. })), "{starts:?}");
        let line = refusal(outcome);
        assert!(line.starts_with("matrix by compressed sparse rows: "), "{line}");
    }
}
