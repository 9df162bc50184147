//! Problems that are far from 1.

use super::super::support::on_gpu;
use super::{BOTH, narrow, settings};
use quadrille::Result;
use quadrille::linalg::Algebra;
use quadrille::matrix::{Blocks, Matrix};
use quadrille::solve::{Lcp, LcpReport, lcp};
use quadrille_oracle::lcp::contact_problem;

/// A power of two rounds nothing, whatever it does to squares.
#[test]
fn a_right_side_times_a_power_of_two_has_the_solution_times_it() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let sizes = [40, 7];
        let problems = sizes.map(|n| contact_problem(n, 1e-2, 3));
        let entries = [narrow(&problems[0].0), narrow(&problems[1].0)];
        let blocks = Blocks::from_groups(&algebra, &[(&entries[0], sizes[0]), (&entries[1], sizes[1])])?;
        // Each group has a factor of its own.
        let solved = |factors: [f32; 2], boxed: bool, method| -> Result<(Vec<Vec<f32>>, LcpReport)> {
            let column = |of: &dyn Fn(usize, usize) -> f32| {
                let parts = [0, 1].map(|g| (0..sizes[g]).map(|i| of(g, i) * factors[g]).collect::<Vec<_>>());
                let elements = blocks.scatter(&[&parts[0], &parts[1]])?;
                Matrix::new(&algebra, blocks.rows(), 1, &elements)
            };
            let b = column(&|g, i| problems[g].1[i] as f32)?;
            let (lower, upper) = (column(&|_, _| -0.25)?, column(&|_, i| [0.5, f32::INFINITY][i % 2])?);
            let mut x = column(&|_, _| 0.125)?;
            let bounds = boxed.then_some((&lower, &upper));
            let report = lcp(&Lcp { a: &blocks, b: &b, bounds }, &mut x, &settings(method, 1e-5))?;
            let x = x.get()?;
            let parts = blocks.gather(&x)?.into_iter().zip(factors);
            Ok((parts.map(|(part, factor)| part.iter().map(|x| x / factor).collect()).collect(), report))
        };
        for (method, boxed) in BOTH.into_iter().flat_map(|method| [(method, false), (method, true)]) {
            let near = solved([1.0, 1.0], boxed, method)?;
            assert!(near.1.converged(), "{method:?}: {:?}", near.1);
            for exponents in [[70, 70], [-70, -70], [100, -90], [0, 40]] {
                let far = solved(exponents.map(|e| 2f32.powi(e)), boxed, method)?;
                assert!(far.1.converged(), "{method:?}, {exponents:?}: {:?}", far.1);
                assert_eq!(
                    (far.0, far.1.sweeps),
                    (near.0.clone(), near.1.sweeps),
                    "{method:?}, {exponents:?}"
                );
            }
        }
        Ok(())
    })
}
