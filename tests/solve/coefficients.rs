//! −∇·(k∇u) + u = f with k that varies, by weights between nodes: second order on every kind of edge.

use std::f64::consts::PI;
use std::ops::ControlFlow;

use super::support::on_gpu;
use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, NinePoint};
use quadrille::solve::{Cycle, Missing, Multigrid, Settings, solve_by};
use quadrille::{Gpu, Result};

/// The boundary condition at both ends of an axis from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ends {
    Fixed,
    Closed,
    Periodic,
}

/// One axis, cut into so many intervals.
#[derive(Clone, Copy)]
struct Axis {
    ends: Ends,
    intervals: usize,
}

impl Axis {
    fn nodes(self) -> usize {
        match self.ends {
            Ends::Fixed => self.intervals - 1,
            Ends::Closed => self.intervals + 1,
            Ends::Periodic => self.intervals,
        }
    }

    fn h(self) -> f64 {
        1.0 / self.intervals as f64
    }

    fn place(self, node: usize) -> f64 {
        (node + usize::from(self.ends == Ends::Fixed)) as f64 * self.h()
    }

    /// The part of a cell that lies inside.
    fn share(self, node: usize) -> f64 {
        if self.ends == Ends::Closed && (node == 0 || node + 1 == self.nodes()) { 0.5 } else { 1.0 }
    }

    /// The fixed ends beside a node, −1 or 1 away.
    fn fixed_beside(self, node: usize) -> impl Iterator<Item = f64> {
        let beside = [(-1.0, node == 0), (1.0, node + 1 == self.nodes())];
        beside.into_iter().filter(move |end| end.1 && self.ends == Ends::Fixed).map(|end| end.0)
    }

    /// A function with these ends, its slope, and how that changes.
    fn wave(self, x: f64) -> [f64; 3] {
        match self.ends {
            Ends::Fixed => [1.0 + x * x * x, 3.0 * x * x, 6.0 * x],
            Ends::Closed => [(PI * x).cos(), -PI * (PI * x).sin(), -PI * PI * (PI * x).cos()],
            Ends::Periodic => {
                let (sin, cos) = (2.0 * PI * x).sin_cos();
                [sin, 2.0 * PI * cos, -4.0 * PI * PI * sin]
            }
        }
    }
}

/// k and its slopes.
fn k(x: f64, y: f64) -> [f64; 3] {
    let ((sin_x, cos_x), (sin_y, cos_y)) = ((2.0 * PI * x).sin_cos(), (2.0 * PI * y).sin_cos());
    [1.0 + 0.5 * sin_x * cos_y, PI * cos_x * cos_y, -PI * sin_x * sin_y]
}

/// max |uᵢ − u(xᵢ)|, u solved for.
fn error(gpu: &Gpu, x: Axis, y: Axis) -> Result<f64> {
    let (width, height, p, q) = (x.nodes(), y.nodes(), x.h(), y.h());
    let (mut east, mut north, mut extra, mut b, mut exact) = (vec![], vec![], vec![], vec![], vec![]);
    for (j, i) in (0..height).flat_map(|j| (0..width).map(move |i| (j, i))) {
        let (at_x, at_y, share_x, share_y) = (x.place(i), y.place(j), x.share(i), y.share(j));
        let to_x = |by: f64| share_y * k(at_x + by * p / 2.0, at_y)[0] * q / p;
        let to_y = |by: f64| share_x * k(at_x, at_y + by * q / 2.0)[0] * p / q;
        let ([u_x, slope_x, bend_x], [u_y, slope_y, bend_y]) = (x.wave(at_x), y.wave(at_y));
        let ([k, k_x, k_y], area) = (k(at_x, at_y), share_x * share_y * p * q);
        let flow = k * (bend_x * u_y + u_x * bend_y) + k_x * slope_x * u_y + k_y * u_x * slope_y;
        let (mut lost, mut right) = (area, area * (u_x * u_y - flow));
        for by in x.fixed_beside(i) {
            lost += to_x(by);
            right += to_x(by) * x.wave(at_x + by * p)[0] * u_y;
        }
        for by in y.fixed_beside(j) {
            lost += to_y(by);
            right += to_y(by) * u_x * y.wave(at_y + by * q)[0];
        }
        east.push(to_x(1.0) as f32);
        north.push(to_y(1.0) as f32);
        extra.push(lost as f32);
        b.push(right);
        exact.push(u_x * u_y);
    }
    let (algebra, grid) = (Algebra::new(gpu), Packed2x2::grid(width as u32, height as u32)?);
    let vector = |values: &[f32]| algebra.vector(grid, values);
    let (east, north, extra) = (vector(&east)?, vector(&north)?, vector(&extra)?);
    let periodic = [x, y].map(|axis| axis.ends == Ends::Periodic);
    let a = NinePoint::from_weights(grid, periodic, &east, &north, Some(&extra))?;
    let multigrid = Multigrid::new(&a, Missing::Absent, Cycle::default())?;
    let settings = Settings { tolerance: 1e-9, max_iterations: 100, check_every: 1, ..Settings::default() };
    let go_on = &mut |_: &_| ControlFlow::Continue(());
    let found = solve_by(Box::new(multigrid), &a, &b, None, &settings, go_on)?;
    assert!(found.report.converged(), "{width} x {height}: {:?}", found.report);
    Ok(found.x.iter().zip(&exact).map(|(found, exact)| (found - exact).abs()).fold(0.0, f64::max))
}

/// Entries in 32 bits move u by some 10⁻⁷, far below the h² of these grids.
#[test]
fn coefficients_that_vary_are_of_second_order_on_every_edge() -> Result<()> {
    on_gpu(|gpu| {
        for ends in [
            [Ends::Fixed, Ends::Fixed],
            [Ends::Closed, Ends::Closed],
            [Ends::Periodic, Ends::Periodic],
            [Ends::Fixed, Ends::Closed],
            [Ends::Periodic, Ends::Fixed],
            [Ends::Closed, Ends::Periodic],
        ] {
            // Cells half as high again as they are wide.
            let errors = [12, 24, 48].map(|n| {
                let axis = |ends, intervals| Axis { ends, intervals };
                error(gpu, axis(ends[0], 3 * n / 2), axis(ends[1], n))
            });
            let [coarse, middle, fine] = errors;
            let (coarse, middle, fine) = (coarse?, middle?, fine?);
            let orders = [(coarse / middle).log2(), (middle / fine).log2()];
            assert!(orders[0] >= 1.7 && orders[1] >= 1.9, "{ends:?}: {coarse}, {middle}, {fine}: {orders:?}");
        }
        Ok(())
    })
}
