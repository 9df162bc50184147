//! Masks by depth and by stencil: what runs where, and that nothing of them stays behind.

use quadrille::pug::Cull;
use quadrille::{Buffer, Gpu, Program, Rect, Result, kernels};

use crate::support::{Random, SIZES, copying, counting, on_gpu, refusal};

/// A mask of that size by depth and one by stencil.
fn both(gpu: &Gpu, width: u32, height: u32) -> Result<[Cull; 2]> {
    Ok([Cull::depth(gpu, width, height)?, Cull::stencil(gpu, width, height)?])
}

/// 1 where an obstacle is, in about a third of the texels.
fn obstacles(n: usize) -> Vec<f32> {
    let mut random = Random(5);
    (0..n).map(|_| f32::from(u8::from(random.unit() < 0.33))).collect()
}

/// A kernel that discards where there is no obstacle: later passes are to run there.
fn mask_of(gpu: &Gpu, obstacles: &Buffer) -> Result<Program> {
    let text = "uniform Stream obstacles; DOMAIN at; RANGE float closed;
                void main() { closed = value2(obstacles, at).x; if (closed < 0.5) discard; }";
    let mut program = gpu.program("mask.frag", text)?;
    program.bind_stream("obstacles", obstacles)?;
    Ok(program)
}

/// A step that looks at neighbours and edges.
fn cool(gpu: &Gpu) -> Result<Program> {
    let mut program = gpu.load(kernels::named("flow/plate_cool.frag")?.define("PLACE", 0))?;
    program.bind_float("r", 0.2)?.bind_float("loss", 0.05)?;
    Ok(program)
}

fn unit(n: usize, seed: u64) -> Vec<f32> {
    let mut random = Random(seed);
    (0..n).map(|_| random.unit()).collect()
}

#[test]
fn a_masked_run_equals_the_unmasked_one_where_it_is_open() -> Result<()> {
    on_gpu(|gpu| {
        let mut step = cool(gpu)?;
        for &(width, height) in SIZES {
            let n = width as usize * height as usize;
            let closed = obstacles(n);
            let (values, before) = (unit(n, 1), unit(n, 2));
            let buffer = || gpu.buffer(width, height);
            let (plate, all, target) = (buffer().init(&values)?, buffer().build()?, buffer().build()?);
            step.bind_stream("plate", &plate)?.run(&all)?;
            let all = all.data()?;
            let obstacles = buffer().init(&closed)?;
            for mask in both(gpu, width, height)? {
                mask.draw(&mask_of(gpu, &obstacles)?)?;
                for side in [0.0, 1.0] {
                    target.write(&before)?;
                    let targets = [&target];
                    for _ in 0..2 {
                        // The second time: the first left the mask alone.
                        let run = step.onto(&targets);
                        if side == 0.0 { mask.only(run) } else { mask.except(run) }.run()?;
                    }
                    let runs = |i: usize| closed[i] == side;
                    let expected: Vec<f32> =
                        (0..n).map(|i| if runs(i) { all[i] } else { before[i] }).collect();
                    assert_eq!(target.data()?, expected, "{width}x{height}");
                }
            }
        }
        Ok(())
    })
}

#[test]
fn many_masked_steps_equal_steps_that_put_the_obstacles_back() -> Result<()> {
    on_gpu(|gpu| {
        let mut step = cool(gpu)?;
        let (width, height) = (31, 57);
        let n = 31 * 57;
        let values = unit(n, 1);
        let buffer = || gpu.buffer(width, height);
        let (fixed, obstacles) = (buffer().init(&values)?, buffer().init(&obstacles(n))?);
        let restore = copying(gpu, &fixed)?;
        for mask in both(gpu, width, height)? {
            mask.draw(&mask_of(gpu, &obstacles)?)?;
            let mut masked = buffer().double().init(&values)?;
            masked.back().write(&values)?; // both buffers hold the obstacles
            let mut whole = buffer().double().init(&values)?;
            for _ in 0..25 {
                step.bind_stream("plate", masked.front())?;
                mask.only(step.onto(&[masked.back()])).run()?;
                masked.swap();
                step.bind_stream("plate", whole.front())?.run(whole.back())?;
                mask.except(restore.onto(&[whole.back()])).run()?;
                whole.swap();
            }
            assert_eq!(masked.data()?, whole.data()?);
        }
        Ok(())
    })
}

#[test]
fn nothing_of_a_mask_stays_behind() -> Result<()> {
    on_gpu(|gpu| {
        let source = gpu.buffer(11, 10).init(&counting(110))?;
        let copy = copying(gpu, &source)?;
        let obstacles = gpu.buffer(11, 10).init(&obstacles(110))?;
        let [depth, stencil] = both(gpu, 11, 10)?;
        let target = gpu.buffer(11, 10).build()?;
        for mask in [&depth, &stencil] {
            mask.draw(&mask_of(gpu, &obstacles)?)?;
            mask.only(copy.onto(&[&target])).run()?;
            mask.except(copy.onto(&[&target])).run()?;
            target.write(&[0.0; 110])?;
            copy.run(&target)?; // neither test nor range of the passes before
            assert_eq!(target.data()?, counting(110));
        }
        // The masks do not meet either: one is open again, the other as it was.
        depth.clear()?;
        target.write(&[0.0; 110])?;
        depth.only(copy.onto(&[&target])).run()?;
        assert_eq!(target.data()?, counting(110));
        target.write(&[0.0; 110])?;
        stencil.only(copy.onto(&[&target])).run()?;
        assert_ne!(target.data()?, counting(110));
        let live = gpu.counters().live;
        drop((depth, stencil));
        assert!(gpu.counters().live < live);
        Ok(())
    })
}

#[test]
fn texels_are_closed_one_range_after_the_other() -> Result<()> {
    on_gpu(|gpu| {
        let one = gpu.program("one.frag", "RANGE float r; void main() { r = 1.0; }")?;
        let (target, nowhere) = (gpu.buffer(5, 1).build()?, gpu.buffer(5, 1).build()?);
        for mask in both(gpu, 5, 1)? {
            assert_eq!((mask.width(), mask.height()), (5, 1));
            for x in [3, 0, 3] {
                mask.close(one.onto(&[&nowhere]).over(Rect::new(x, 0, x + 1, 1))).run()?;
            }
            target.write(&[0.0; 5])?;
            let ((), query) = gpu.samples(|| mask.only(one.onto(&[&target])).run())?;
            assert_eq!(target.data()?, [0.0, 1.0, 1.0, 0.0, 1.0]);
            assert!(query.wait()?.any(), "a query counts what the mask lets through");
            mask.close(one.onto(&[&nowhere])).run()?;
            let ((), query) = gpu.samples(|| mask.only(one.onto(&[&target])).run())?;
            assert!(!query.wait()?.any(), "all is closed");
        }
        Ok(())
    })
}

#[test]
fn masks_of_another_size_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let one = gpu.program("one.frag", "RANGE float r; void main() { r = 1.0; }")?;
        let target = gpu.buffer(5, 4).build()?;
        for mask in both(gpu, 4, 5)? {
            let line = refusal(mask.only(one.onto(&[&target])).run());
            assert!(line.contains("4x5"), "{line}");
        }
        assert!(refusal(Cull::depth(gpu, 0, 1).map(drop)).contains("no elements"));
        Ok(())
    })
}
