//! Passes, texels and fetches of parts of the library, as they are counted by hand; and that the tree holds all of them.

use quadrille::layout::{BoundaryCondition, Packed2x2};
use quadrille::linalg::{Algebra, Gather, LinearOperator, NinePoint, Op, Stencil};
use quadrille::numeric::Csr;
use quadrille::sim::gray_scott::{GrayScott, Parameters};
use quadrille::solve::{Bounds, Cg, Cycle, Missing, Multigrid, iterate};
use quadrille::streams::{PrefixSum, Pyramid, Sort};
use quadrille::trace::{Recorder, Trace, Watch, What};
use quadrille::{Edges, Gpu, Operator, Result};

use crate::support::{counting, on_gpu};

/// A trace of what `work` does, whose sum is what the context counted meanwhile.
fn traced(gpu: &Gpu, work: impl FnOnce() -> Result<()>) -> Result<Trace> {
    let before = gpu.counters();
    let recorder = Recorder::start(gpu, Watch::default())?;
    work()?;
    let (trace, after) = (recorder.trace(), gpu.counters());
    let sum = trace.sums()[0];
    assert_eq!(sum.passes, after.passes - before.passes);
    assert_eq!(sum.uploads, after.uploads - before.uploads);
    assert_eq!(sum.read_backs, after.read_backs - before.read_backs);
    assert_eq!(sum.compiles, after.compiles - before.compiles);
    assert!(!sum.at_most, "quads without masks");
    Ok(trace)
}

/// Passes, texels and fetches: by running the kernel's text for each fragment where they differ; with `None` for a fetch that
/// depends on what was fetched.
fn counted(trace: &Trace) -> (u64, u64, Option<u64>) {
    let sum = trace.sums()[0];
    let passes = trace.steps.iter().filter_map(|step| match &step.what {
        What::Pass(pass) => Some(trace.fetches_one_by_one(pass)),
        _ => None,
    });
    let fetches = passes.sum::<Option<u64>>();
    if let (Some(fetches), (least, most)) = (fetches, sum.fetches) {
        assert!(least <= fetches && most.is_none_or(|most| fetches <= most), "{least} {fetches} {most:?}");
    }
    (sum.passes, sum.texels, fetches)
}

/// The sum of all scopes of that name.
fn of_scope(trace: &Trace, name: &str) -> (u64, u64, (u64, Option<u64>)) {
    let named = trace.scopes.iter().zip(trace.sums()).filter(|(scope, _)| scope.name == name);
    named.fold((0, 0, (0, Some(0))), |(passes, texels, (least, most)), (_, sum)| {
        let most = most.zip(sum.fetches.1).map(|(a, b)| a + b);
        (passes + sum.passes, texels + sum.texels, (least + sum.fetches.0, most))
    })
}

#[test]
fn a_step_of_gray_scott_is_a_pass_of_five_fetches() -> Result<()> {
    on_gpu(|gpu| {
        let mut pattern = GrayScott::new(gpu, 31, 57, Parameters::default(), Edges::Repeat, 1)?;
        let trace = traced(gpu, || pattern.step())?;
        assert_eq!(counted(&trace), (1, 31 * 57, Some(5 * 31 * 57)));
        assert_eq!(of_scope(&trace, "step"), (1, 31 * 57, (5 * 31 * 57, Some(5 * 31 * 57))));
        // A cell is two 32-bit floats.
        let sum = trace.sums()[0];
        assert_eq!((sum.written, sum.fetched, sum.bytes), (8 * 31 * 57, 40 * 31 * 57, 16 * 31 * 57));
        let sources = trace.passes().next().and_then(|pass| trace.sources(pass, (0, 5)));
        let mut sources: Vec<(u32, u32)> =
            sources.unwrap_or_default().iter().map(|source| source.1).collect();
        sources.sort();
        assert_eq!(sources, [(0, 4), (0, 5), (0, 6), (1, 5), (30, 5)], "around the torus");
        Ok(())
    })
}

/// ⌈(10 + 10)/6⌉ = 4 passes of at most 8 × 8 far elements: 125×98, 16×13 and 2×2 texels of 64 fetches each, and one of 4.
#[test]
fn a_sum_of_1000_by_777_is_four_passes() -> Result<()> {
    on_gpu(|gpu| {
        let numbers = gpu.buffer(1000, 777).init(&vec![1.0; 777_000])?;
        let sum = gpu.reduction(Operator::sum());
        let trace = traced(gpu, || {
            numbers.write(&vec![2.0; 777_000])?;
            sum.value(&numbers).map(drop)
        })?;
        let moved = trace.sums()[0];
        assert_eq!(
            (moved.uploads, moved.bytes_up, moved.read_backs, moved.bytes_down),
            (1, 4 * 777_000, 1, 4)
        );
        let texels = 125 * 98 + 16 * 13 + 2 * 2;
        assert_eq!(counted(&trace), (4, texels + 1, Some(64 * texels + 4)));
        assert_eq!(of_scope(&trace, "reduction").0, 4);
        Ok(())
    })
}

/// 64×64 elements are 32×32 texels.
#[test]
fn an_axpy_is_two_fetches_a_texel_and_a_stencil_of_five_points_five() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, grid) = (Algebra::new(gpu), Packed2x2::grid(64, 64)?);
        let (mut x, y) = (algebra.zeros(grid)?, algebra.zeros(grid)?);
        assert_eq!(counted(&traced(gpu, || x.axpy(2.0, &y))?), (1, 1024, Some(2 * 1024)));
        let a = five_points(&algebra, grid)?;
        assert_eq!(counted(&traced(gpu, || a.apply(Op::Null, &y, &mut x))?), (1, 1024, Some(5 * 1024)));
        Ok(())
    })
}

fn five_points(algebra: &Algebra, grid: Packed2x2) -> Result<Stencil> {
    let points = [((0, 0), 4.0), ((1, 0), -1.0), ((-1, 0), -1.0), ((0, 1), -1.0), ((0, -1), -1.0)];
    Stencil::new(algebra, grid, BoundaryCondition::Dirichlet, &points)
}

/// Four keys a texel: 4 fetches to pack one, 1 to unpack a key. Merging 2^k keys meets k times, the last two meetings inside the
/// texel; of the k − 2 others two make a pass of 4 fetches, one left over a pass of 2. So for k from 3 to 12 ⌈(k − 2)/2⌉ passes
/// and 2 (k − 2) fetches: 30 passes and 110 fetches a texel; one pass before sorts inside the texels.
#[test]
fn a_sort_of_4096_keys_is_31_passes_and_two() -> Result<()> {
    on_gpu(|gpu| {
        let keys = gpu.array(4096).init(&counting(4096))?;
        let mut sort = Sort::keys(gpu, 4096)?;
        let trace = traced(gpu, || sort.sort(&keys))?;
        let fetches = 1024 * (110 + 1) + 1024 * 4 + 4096;
        assert_eq!(counted(&trace), (33, 32 * 1024 + 4096, Some(fetches)));
        assert_eq!(of_scope(&trace, "sort").0, 33);
        Ok(())
    })
}

/// 1000 numbers make levels of 250, 63, 16, 4 and 1 texels, folded 16×16, 8×8, 4×4, 2×2, 1×1, and sums folded 32×32. Up, each
/// element is fetched once; down, a texel fetches itself and, but for the first, the total before it; at the end an element its
/// running sum and, but for the first four, that total.
#[test]
fn a_prefix_sum_of_1000_is_nine_passes() -> Result<()> {
    on_gpu(|gpu| {
        let numbers = gpu.array(1000).init(&counting(1000))?;
        let mut sums = PrefixSum::new(gpu, 1000)?;
        let trace = traced(gpu, || sums.inclusive(&numbers, &numbers))?;
        let (up, down, end) = (256 + 64 + 16 + 4 + 1, 64 + 16 + 4, 1024);
        let fetches = (1000 + 250 + 63 + 16 + 4) + (2 * down - 3) + (2 * end - 4);
        assert_eq!(counted(&trace), (9, up + down + end, Some(fetches)));
        Ok(())
    })
}

#[test]
fn a_pyramid_of_a_power_of_two_is_four_fetches_a_texel() -> Result<()> {
    on_gpu(|gpu| {
        let image = gpu.buffer(64, 64).init(&counting(4096))?;
        let mut pyramid = Pyramid::new(gpu, 64, 64, 1)?;
        let trace = traced(gpu, || pyramid.build(&image))?;
        let texels = (4096 - 1) / 3;
        assert_eq!(counted(&trace), (6, texels, Some(4 * texels)));
        assert_eq!(trace.sums()[0].copies, 1, "level 0 is the image");
        Ok(())
    })
}

/// 65², 33², 17² and 9² nodes are 33², 17², 9² and 5² texels. The finest level has five points, so a sweep is 5 texels of x, the 5
/// entries of which it makes the inverse diagonal, and b: 11 fetches; the others have nine, and 19. The first sweep after a correction
/// adds it by 4 more. Residual and restriction are a pass of 25 texels of x, 9 of b, the 4 or 8 entries beside the diagonal of those 9,
/// and the coarse inverse. There are 4 sweeps on the finest level and 3 on each of the next two, whose first one the restriction makes as
/// a second target. The coarsest is a product with an inverse of 25 × 25 texels, 5 fetches each, in 5 parts, which another pass adds.
#[test]
fn a_cycle_of_65_by_65_is_15_passes() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, nodes) = (Algebra::new(gpu), Packed2x2::grid(65, 65)?);
        let a = NinePoint::poisson(&algebra, nodes, BoundaryCondition::Dirichlet)?;
        let multigrid = Multigrid::new(&a, Missing::Fixed, Cycle::default())?;
        let (b, mut x) = (algebra.zeros(nodes)?, algebra.zeros(nodes)?);
        let trace = traced(gpu, || multigrid.cycle(&b, &mut x))?;
        let [fine, half, quarter, least] = [33 * 33, 17 * 17, 9 * 9, 5 * 5];
        let sweeps = 4 * fine + 3 * (half + quarter);
        // The restriction to the coarsest level begins no sweep there.
        let texels = sweeps + (2 * half + 2 * quarter + least) + 5 * least + least;
        let smoothed = 11 * 3 * fine + 19 * 2 * (half + quarter);
        let corrected = (11 + 4) * fine + (19 + 4) * (half + quarter);
        let restricted = (25 + 9 + 9 * 4 + 1) * half + (25 + 9 + 9 * 8 + 1) * (quarter + least);
        let inverted = 5 * least * least + 5 * least;
        assert_eq!(counted(&trace), (15, texels, Some(smoothed + corrected + restricted + inverted)));
        assert_eq!(of_scope(&trace, "smooth").2, (smoothed, Some(smoothed)));
        assert_eq!(of_scope(&trace, "prolong and smooth").2, (corrected, Some(corrected)));
        assert_eq!(of_scope(&trace, "residual and restrict").2, (restricted, Some(restricted)));
        let (whole, cycle) = (trace.sums()[0], of_scope(&trace, "cycle"));
        assert_eq!((cycle.0, cycle.1), (whole.passes, whole.texels));
        Ok(())
    })
}

/// A p by five fetches; p·q and r·r as two passes each over 1024 texels of two vectors, 16 texels of 64 pairs and one of 16; four
/// passes of one texel: the entry of the history (2 fetches), α (3, and one more where that is not 0), β (2); and x, r and p, of three
/// fetches, the scalar among them.
#[test]
fn an_iteration_of_conjugate_gradients_is_eleven_passes() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, grid) = (Algebra::new(gpu), Packed2x2::grid(64, 64)?);
        let a = five_points(&algebra, grid)?;
        let (b, mut x) = (algebra.vector(grid, &[1.0; 4096])?, algebra.zeros(grid)?);
        let mut cg = Cg::new(&algebra, grid, None)?;
        let bounds = Bounds { tolerance: 1e-6, max_iterations: 3, check_every: 0 };
        let trace = traced(gpu, || iterate(&mut cg, &a, &b, &mut x, bounds, &mut |_, _| true).map(drop))?;
        let dots = 2 * (16 * 64 * 2 + 16);
        let least = 5 * 1024 + dots + (2 + 3 + 2) + 3 * 3 * 1024;
        let expected = (11, 4 * 1024 + 2 * 17 + 3, (least, Some(least + 1)));
        let (passes, texels, fetches) = of_scope(&trace, "iteration");
        assert_eq!((passes / 3, texels / 3, (fetches.0 / 3, fetches.1.map(|most| most / 3))), expected);
        assert_eq!((passes % 3, texels % 3, fetches.0 % 3), (0, 0, 0));
        Ok(())
    })
}

/// 225 rows of up to 20 entries, in one rectangle: 15×15 elements are 8×8 texels; the diagonal lies apart, a fetch of it and one
/// of x; each of the 20 slots is a texel of entries, one of addresses and four elements of x.
#[test]
fn a_gather_of_a_power_law_is_six_fetches_a_slot() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, n) = (Algebra::new(gpu), 225);
        let columns = |i: usize| (0..(1 + n / (i + 1)).min(20)).map(move |k| (i, (i * 7 + k * 13) % n, 1.0));
        let matrix = Csr::from_triplets(n, n, (0..n).flat_map(columns))?;
        let layout = Packed2x2::folded(n)?;
        let gather = Gather::new(&algebra, layout, layout, matrix)?;
        assert_eq!(gather.rectangles(), 1);
        let (x, mut y) = (algebra.zeros(layout)?, algebra.zeros(layout)?);
        let trace = traced(gpu, || gather.apply(Op::Null, &x, &mut y))?;
        assert_eq!(counted(&trace), (1, 64, Some(64 * (2 + 6 * 20))));
        Ok(())
    })
}

#[test]
fn scopes_of_users_hold_what_is_done_in_them() -> Result<()> {
    on_gpu(|gpu| {
        let numbers = gpu.buffer(5, 3).init(&counting(15))?;
        let sum = gpu.reduction(Operator::sum());
        let recorder = Recorder::start(gpu, Watch { from: 2, passes: 1, ..Watch::default() })?;
        assert!(Recorder::start(gpu, Watch::default()).is_err(), "one at a time");
        for turn in 0..3 {
            let _scope = gpu.scope(format_args!("turn {turn}"));
            sum.both(&numbers)?;
        }
        let trace = recorder.trace();
        drop(recorder);
        let names: Vec<&str> = trace.scopes.iter().map(|scope| scope.name.as_str()).collect();
        assert_eq!(names, ["all", "turn 1", "reduction"], "scopes without a recorded pass are left out");
        assert_eq!(trace.sums()[0].passes, 1);
        Recorder::start(gpu, Watch::default())?;
        Ok(())
    })
}
