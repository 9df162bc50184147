//! Several contexts on one thread: they do not disturb each other, and their objects do not mix.

use quadrille::gl::{Edges, Kernel};
use quadrille::sim::gray_scott::{GrayScott, Parameters};
use quadrille::{Api, Gpu, Operator, Options, Result};

use crate::support::{copying, counting, left_clean, refusal};

fn of(api: Api) -> Result<Gpu> {
    Gpu::headless_with(Options { api: Some(api), ..Options::default() })
}

#[test]
fn both_dialects_can_be_had_whatever_the_environment_says() -> Result<()> {
    assert!(!of(Api::Gl)?.driver().embedded);
    assert!(of(Api::Gles)?.driver().embedded);
    Ok(())
}

/// Two simulations in step, one on OpenGL and one on OpenGL ES, each as it runs alone.
#[test]
fn two_contexts_take_turns_without_disturbing_each_other() -> Result<()> {
    let simulation = |gpu: &Gpu| GrayScott::new(gpu, 31, 57, Parameters::default(), Edges::Repeat, 7);
    let alone = |api| {
        let gpu = of(api)?;
        let mut simulation = simulation(&gpu)?;
        (0..50).try_for_each(|_| simulation.step())?;
        simulation.state().data()
    };
    let expected = (alone(Api::Gl)?, alone(Api::Gles)?);
    left_clean(&of(Api::Gl)?, |gl| {
        left_clean(&of(Api::Gles)?, |gles| {
            let (mut a, mut b) = (simulation(gl)?, simulation(gles)?);
            for step in 0..50 {
                a.step()?;
                b.step()?;
                if step % 10 == 0 {
                    let sums = (gl.reduction(Operator::sum()), gles.reduction(Operator::sum()));
                    let pending = (a.state().data_async()?, b.state().data_async()?);
                    assert_eq!(sums.0.value(a.state())?.len(), sums.1.value(b.state())?.len());
                    assert_eq!(pending.1.wait()?.len(), pending.0.wait()?.len());
                }
            }
            assert!(a.state().data()? == expected.0 && b.state().data()? == expected.1);
            Ok(())
        })
    })
}

#[test]
fn contexts_may_be_dropped_in_any_order() -> Result<()> {
    let (first, second, third) = (of(Api::Gl)?, of(Api::Gl)?, of(Api::Gles)?);
    let buffer = |gpu: &Gpu| gpu.buffer(3, 3).init(&counting(9));
    let (a, c) = (buffer(&first)?, buffer(&third)?);
    drop(buffer(&second)?);
    drop(second);
    assert_eq!((a.data()?, c.data()?), (counting(9), counting(9)));
    drop(first); // the buffer holds the context
    assert_eq!(a.data()?, counting(9));
    drop(a);
    copying(&third, &c)?.run(&buffer(&third)?)?;
    assert_eq!(c.data()?, counting(9));
    Ok(())
}

#[test]
fn a_clone_is_the_same_gpu() -> Result<()> {
    let gpu = of(Api::Gl)?;
    let clone = gpu.clone();
    let buffer = clone.buffer(2, 2).init(&counting(4))?;
    copying(&gpu, &buffer)?.run(&gpu.buffer(2, 2).build()?)?;
    assert_eq!(gpu.counters(), clone.counters());
    Ok(())
}

#[test]
fn objects_of_another_context_are_refused_by_name() -> Result<()> {
    left_clean(&of(Api::Gl)?, |ours| {
        left_clean(&of(Api::Gl)?, |theirs| {
            let mine = ours.buffer(2, 2).init(&counting(4))?;
            let other = theirs.buffer(2, 2).named("other").init(&counting(4))?;
            let line = "buffer \"other\" (2x2x1) belongs to another context";
            let mut copy = copying(ours, &mine)?;
            assert_eq!(refusal(copy.run(&other)), line);
            assert_eq!(refusal(copy.bind_stream("source", &other)), line);
            assert_eq!(refusal(mine.copy_from(&other)), line);
            let sum = ours.reduction(Operator::sum());
            assert_eq!(refusal(sum.value(&other)), line);
            assert_eq!(refusal(sum.rows(&other)), line);
            let vertex = Kernel::new("k.vert", "VERTEX vec2 p; void main() { scatter(p); }");
            let fragment = Kernel::new("k.frag", "RANGE float r; void main() { r = 1.0; }");
            let points = ours.load_scatter(vertex, fragment)?;
            let vertices = theirs.vertices(&[("p", 2)], &[0.0, 0.0])?;
            let line = "vertex buffer belongs to another context";
            assert_eq!(refusal(points.onto(&[&mine]).points(&vertices).run()), line);
            assert_eq!((mine.data()?, other.data()?), (counting(4), counting(4)));
            Ok(())
        })
    })
}

#[test]
fn a_device_is_chosen_by_number_and_name() -> Result<()> {
    let devices = quadrille::gl::devices()?;
    let chosen = Gpu::headless()?.driver().device.clone().unwrap_or_default();
    assert!(devices.contains(&chosen), "{chosen} of {devices:?}");
    let number = chosen.split(' ').next().unwrap_or_default().to_owned();
    for choice in [number, chosen.to_uppercase()] {
        let gpu = Gpu::headless_with(Options { device: Some(choice), ..Options::default() })?;
        assert_eq!(gpu.driver().device.as_deref(), Some(chosen.as_str()));
        assert_eq!(gpu.driver().by, Some("EGL"));
    }
    Ok(())
}
