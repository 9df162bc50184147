//! Calls of OpenGL that a pass makes on small levels, where they are all that it costs.

use super::numbers;
use super::support::on_gpu;
use quadrille::Result;
use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, Banded, LinearOperator, NinePoint, Vector};
use quadrille::numeric::Csr;
use quadrille::solve::{Bounds, Cycle, FusedCg, Missing, Multigrid, Preconditioner, iterate};

/// −h²∇² on side² nodes.
fn poisson(algebra: &Algebra, side: u32) -> Result<NinePoint> {
    let layout = Packed2x2::grid(side, side)?;
    let filled = |value: f32| -> Result<Option<Vector>> {
        let mut entry = algebra.zeros(layout)?;
        entry.fill(value)?;
        Ok(Some(entry))
    };
    let entries =
        [None, filled(-1.0)?, None, filled(-1.0)?, filled(4.0)?, filled(-1.0)?, None, filled(-1.0)?, None];
    NinePoint::new(algebra, layout, [false; 2], entries)
}

/// Thirteen a pass: 12.3 were found at most, in cycles from 65² nodes down, whose passes go from level to level and change nearly every texture: 4.2
/// bind textures, 3.7 make their units active, and 4.4 are framebuffer, program, draw, and now and then viewport, domains and sizes. One call that
/// binds a texture to a unit in the place of two makes 7.9 of 11.8, and nothing faster on an H200.
fn within(what: &str, calls: u64, passes: u64) {
    let most = 13;
    println!("{what}: {:.2} calls a pass", calls as f64 / passes as f64);
    assert!(
        passes > 0 && calls <= most * passes,
        "{what}: {calls} calls in {passes} passes, {most} allowed each"
    );
    // A draw, and a framebuffer that is another one.
    assert!(calls >= 2 * passes, "{what}: {calls} calls in {passes} passes");
}

#[test]
fn a_pass_of_a_cycle_makes_few_calls_on_every_level() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        for (before, after) in [(2, 2), (4, 2)] {
            let cycle = Cycle { before, after, ..Cycle::default() };
            let whole = Multigrid::new(&poisson(&algebra, 129)?, Missing::Fixed, cycle)?;
            for a in whole.matrices() {
                let multigrid = Multigrid::new(a, Missing::Fixed, cycle)?;
                let b: Vec<f32> = numbers(a.rows().len(), 1).iter().map(|&b| b as f32).collect();
                let (b, mut x) = (algebra.vector(a.rows(), &b)?, algebra.zeros(a.rows())?);
                multigrid.precondition(&b, &mut x)?;
                let first = gpu.counters();
                for _ in 0..8 {
                    multigrid.precondition(&b, &mut x)?;
                }
                let last = gpu.counters();
                let (calls, passes) = (last.calls - first.calls, last.passes - first.passes);
                within(&format!("V({before},{after}) from {} down", a.rows()), calls, passes);
            }
        }
        let layout = Packed2x2::grid(64, 64)?;
        let a = Banded::new(&algebra, layout, Csr::poisson(64, 64)?)?;
        let (b, mut x) = (algebra.vector(layout, &[1.0; 4096])?, algebra.zeros(layout)?);
        // With its product stored: inlined ones are fewer passes of more streams.
        let mut method = FusedCg::new(&algebra, layout, None)?.inlining(false);
        let first = gpu.counters();
        let bounds = Bounds { tolerance: 0.0, max_iterations: 40, check_every: 0 };
        iterate(&mut method, &a, &b, &mut x, bounds, &mut |_, _| true)?;
        let last = gpu.counters();
        let (calls, passes) = (last.calls - first.calls, last.passes - first.passes);
        within("fused conjugate gradients", calls, passes);
        Ok(())
    })
}
