//! Read-back without waiting: the values as they were when asked for.

use quadrille::pug::{Pending, Precision};
use quadrille::{Gpu, Rect, Result};

use crate::support::{Random, SIZES, counting, on_gpu, refusal};

/// Asks again and again until the values are there, however long that takes beside other programs. A page has them in a later task,
/// or after it has waited for everything.
fn polled(gpu: &Gpu, mut pending: Pending) -> Result<Vec<f32>> {
    if cfg!(target_arch = "wasm32") {
        gpu.finish();
    }
    loop {
        match pending.poll()? {
            Ok(values) => return Ok(values),
            Err(later) => pending = later,
        }
        std::thread::yield_now();
    }
}

#[test]
fn values_of_all_shapes_arrive_by_poll_and_by_wait() -> Result<()> {
    on_gpu(|gpu| {
        for (&(width, height), components) in SIZES.iter().flat_map(|s| (1..=4).map(move |c| (s, c))) {
            for precision in [Precision::Float32, Precision::Float16] {
                let n = width as usize * height as usize * components;
                let values: Vec<f32> = counting(n).iter().map(|v| v % 2048.0).collect();
                let shape = gpu.buffer(width, height).components(components).precision(precision);
                let buffer = shape.init(&values)?;
                assert_eq!(buffer.data_async()?.wait()?, values);
                assert_eq!(polled(gpu, buffer.data_async()?)?, values);
            }
        }
        Ok(())
    })
}

#[test]
fn a_read_back_holds_the_values_of_the_moment_it_was_asked_for() -> Result<()> {
    on_gpu(|gpu| {
        let mut state = gpu.buffer(31, 57).double().build()?;
        let text = "uniform Stream n; DOMAIN at; RANGE float m; void main() { m = value2(n, at).x + 1.0; }";
        let mut step = gpu.program("count.frag", text)?;
        let mut pending = Vec::new();
        for _ in 0..10 {
            pending.push(state.front().data_async()?);
            step.bind_stream("n", state.front())?.run(state.back())?;
            state.swap();
        }
        state.write(&vec![-1.0; 31 * 57])?;
        // Last first, so that nothing depends on the order of asking.
        for (step, pending) in pending.into_iter().enumerate().rev() {
            assert_eq!(pending.wait()?, vec![step as f32; 31 * 57]);
        }
        Ok(())
    })
}

#[test]
fn the_buffer_may_be_dropped_before_its_values_arrive() -> Result<()> {
    on_gpu(|gpu| {
        let values = Random(1).floats(256 * 128);
        let buffer = gpu.buffer(256, 128).init(&values)?;
        let pending = buffer.data_async()?;
        drop(buffer);
        let other = gpu.buffer(256, 128).build()?;
        assert_eq!(pending.wait()?, values);
        assert!(other.data()?.iter().all(|&v| v == 0.0));
        Ok(())
    })
}

#[test]
fn a_read_back_that_nobody_waits_for_leaves_nothing() -> Result<()> {
    on_gpu(|gpu| {
        let buffer = gpu.buffer(11, 10).init(&counting(110))?;
        let live = gpu.counters().live;
        for _ in 0..1000 {
            drop(buffer.data_async()?);
        }
        assert_eq!(gpu.counters().live, live);
        assert_eq!(buffer.data()?, counting(110));
        Ok(())
    })
}

#[test]
fn a_ready_read_back_stays_ready() -> Result<()> {
    on_gpu(|gpu| {
        let pending = gpu.buffer(3, 3).init(&counting(9))?.data_async()?;
        gpu.finish();
        assert!(pending.ready() && pending.ready(), "everything before is finished");
        assert_eq!(pending.wait()?, counting(9));
        Ok(())
    })
}

#[test]
fn read_backs_are_counted_and_pending_ones_are_alive() -> Result<()> {
    on_gpu(|gpu| {
        let buffer = gpu.buffer(3, 3).init(&counting(9))?;
        let before = gpu.counters();
        let pending = buffer.data_async()?;
        assert_eq!(gpu.counters().live, before.live + 1);
        assert_eq!(gpu.counters().read_backs, before.read_backs + 1);
        pending.wait()?;
        buffer.data()?;
        let after = gpu.counters();
        assert_eq!((after.live, after.read_backs), (before.live, before.read_backs + 2));
        Ok(())
    })
}

#[test]
fn regions_of_a_texture_arrive_and_those_outside_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let buffer = gpu.buffer(11, 10).components(2).init(&counting(220))?;
        let region = Rect::new(9, 8, 11, 10);
        let expected = [194.0, 195.0, 196.0, 197.0, 216.0, 217.0, 218.0, 219.0];
        assert_eq!(buffer.texture().read_async(region)?.wait()?, expected);
        for outside in [Rect::new(0, 0, 12, 1), Rect::new(0, 0, 1, 11)] {
            assert!(refusal(buffer.texture().read_async(outside)).contains("leaves the 11x10 target"));
        }
        assert!(refusal(buffer.texture().read_async(Rect::whole(0, 1))).contains("has no elements"));
        Ok(())
    })
}
