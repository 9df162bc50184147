//! The strip without a window: what it records, the step that is made once more, and kernels that are edited in it.

use egui::{Event, Key, Modifiers, Pos2, Rect, vec2};

use super::*;
use crate::demo::{Request, Source, TestHost};
use crate::list::named;
use crate::param::Values;
use crate::play::{Input, KeyActions, Play};

const KERNEL: &str = "sim/gray_scott_step.frag";

fn started(gpu: &Gpu, about: &'static About, values: &Values, load: Option<State>) -> Result<Box<dyn Demo>> {
    let load = load.map(|state| Source { path: "the step before".into(), state: Some(state) });
    let request = Request { load, ..Request::new(values.clone(), Rc::new(TestHost::default())) };
    about.begin(gpu, &Rc::new(request))
}

/// A demo with its strip open, after three steps of which the last is recorded.
fn at_step_three(gpu: &Gpu, about: &'static About, values: &Values) -> Result<(Box<dyn Demo>, Play)> {
    let mut demo = started(gpu, about, values, None)?;
    let mut play = Play::new(about, demo.as_mut(), 1);
    for step in 0..2 {
        play.strip.step(gpu, about, demo.as_mut(), step, true)?;
    }
    assert!(play.strip.seen.is_none(), "nothing is recorded while it is closed");
    play.strip.toggle();
    let before = gpu.counters().passes;
    play.strip.step(gpu, about, demo.as_mut(), 2, true)?;
    let seen = play.strip.seen.as_ref().ok_or_else(|| anyhow!("not recorded"))?;
    let whole = seen.trace.sums()[0];
    assert_eq!((seen.step, whole.passes), (3, gpu.counters().passes - before));
    assert_eq!(seen.tree[0].sum, whole);
    assert!(seen.trace.images.iter().all(|image| image.content.is_none()), "nothing is read before a click");
    Ok((demo, play))
}

fn opened(play: &Play) -> Result<(&Trace, &quadrille::trace::Pass)> {
    let opened = play.strip.opened.as_ref().ok_or_else(|| anyhow!("no pass is open"))?;
    let (.., pass) = passes(&opened.trace).nth(opened.place).ok_or_else(|| anyhow!("no such pass"))?;
    Ok((&opened.trace, pass))
}

fn outputs<'a>(trace: &'a Trace, pass: &quadrille::trace::Pass) -> Option<&'a [f32]> {
    trace.images[pass.targets[0]].content.as_ref()?.values.as_deref()
}

fn escape() -> Event {
    let (key, modifiers) = (Key::Escape, Modifiers::default());
    Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers }
}

#[test]
fn a_click_makes_the_same_step_again_and_its_numbers_are_those_of_the_demo() -> Result<()> {
    let gpu = Gpu::headless()?;
    let about = named("reaction-diffusion").ok_or_else(|| anyhow!("no demo"))?;
    let values = about.values_of("size=33x17").map_err(anyhow::Error::msg)?;
    let (mut demo, mut play) = at_step_three(&gpu, about, &values)?;
    let numbers = demo.numbers()?.values;
    // The run has gone on before the click.
    demo.step()?;
    play.strip.wanted = Some(0);
    let again = play.again(&gpu, 0.0, |state| started(&gpu, about, &values, Some(state)));
    let (mut demo, step) = again.ok_or_else(|| anyhow!("nothing was clicked"))?;
    assert_eq!((step, demo.numbers()?.values == numbers, play.paused), (3, true, true));
    let (trace, pass) = opened(&play)?;
    let target = &trace.images[pass.targets[0]];
    let exact = numbers[2 * (5 * 33 + 7)..][..2].to_vec();
    assert_eq!(target.numbers_at(7, 5), Some((exact, true)));
    assert_eq!(play.editor.name(), KERNEL);
    // Escape closes the pass and then leaves; the button leaves at once.
    let place = Rect::from_min_size(Pos2::ZERO, vec2(64.0, 64.0));
    for (by_button, keys, expected) in [(1, 0, (1, true)), (0, 1, (0, false)), (0, 1, (1, false))] {
        let events = vec![escape(); keys];
        let input = Input { events, typing: false, taken: false, scale: 1.0 };
        let mut actions = KeyActions { leave: by_button, ..KeyActions::default() };
        play.follow(&input, place, demo.as_mut(), &mut actions, 3)?;
        assert_eq!((actions.leave, play.strip.is_frozen()), expected);
    }
    play.strip.wanted = Some(0);
    let again = play.again(&gpu, 0.0, |state| started(&gpu, about, &values, Some(state)));
    let (mut demo, _) = again.ok_or_else(|| anyhow!("nothing was clicked"))?;
    // A step by hand has its pass open, too; one of a run that goes on has not.
    play.strip.step(&gpu, about, demo.as_mut(), 3, true)?;
    assert!(play.strip.is_frozen() && outputs(opened(&play)?.0, opened(&play)?.1).is_some());
    play.strip.due = true;
    play.strip.step(&gpu, about, demo.as_mut(), 4, false)?;
    assert!(!play.strip.is_frozen() && play.strip.seen.as_ref().is_some_and(|seen| seen.step == 5));
    Ok(())
}

#[test]
fn a_pass_of_a_fluid_is_opened_without_the_numbers_of_the_others() -> Result<()> {
    let gpu = Gpu::headless()?;
    let about = named("fluid").ok_or_else(|| anyhow!("no demo"))?;
    let values = about.values_of("size=33x17").map_err(anyhow::Error::msg)?;
    let (demo, mut play) = at_step_three(&gpu, about, &values)?;
    let numbers = demo.numbers()?.values;
    drop(demo);
    for place in [20, 31] {
        play.strip.wanted = Some(place);
        let again = play.again(&gpu, 0.0, |state| started(&gpu, about, &values, Some(state)));
        let (demo, _) = again.ok_or_else(|| anyhow!("nothing was clicked"))?;
        assert!(demo.numbers()?.values == numbers);
        let (trace, pass) = opened(&play)?;
        let whole = |image: usize| trace.images[image].content.as_ref().is_some_and(|c| c.values.is_some());
        assert!(pass.targets.iter().all(|&image| whole(image)));
        assert!(pass.streams.iter().flatten().all(|&(image, _)| whole(image)));
        let kept = (0..trace.images.len()).filter(|&image| whole(image)).count();
        assert!(kept <= pass.targets.len() + pass.streams.len(), "{kept}");
    }
    Ok(())
}

#[test]
fn a_kernel_that_is_edited_makes_the_step_again_and_a_wrong_one_changes_nothing() -> Result<()> {
    let gpu = Gpu::headless()?;
    let about = named("reaction-diffusion").ok_or_else(|| anyhow!("no demo"))?;
    let values = about.values_of("size=9x7").map_err(anyhow::Error::msg)?;
    let (demo, mut play) = at_step_three(&gpu, about, &values)?;
    let numbers = demo.numbers()?.values;
    let mut now = 0.0;
    let mut again = |play: &mut Play| {
        now += 10.0;
        play.again(&gpu, now, |state| started(&gpu, about, &values, Some(state)))
    };
    play.strip.wanted = Some(0);
    assert!(again(&mut play).is_some());
    let built_in = quadrille::kernels::built_in(KERNEL)?;
    let halved = built_in.replace("next = diffusion + reaction;", "next = 0.5 * (diffusion + reaction);");
    play.editor.put(KERNEL, halved.clone(), 0.0);
    let (demo, step) = again(&mut play).ok_or_else(|| anyhow!("{:?}", play.editor.error()))?;
    let half: Vec<f32> = numbers.iter().map(|number| 0.5 * number).collect();
    assert!(step == 3 && demo.numbers()?.values == half);
    let (trace, pass) = opened(&play)?;
    assert!(outputs(trace, pass) == Some(&half));
    play.editor.put(KERNEL, built_in.replace("+ reaction;", "+ nonsense;"), 0.0);
    assert!(again(&mut play).is_none());
    assert!(
        play.editor.error().is_some_and(|error| error.starts_with("line 26: ")),
        "{:?}",
        play.editor.error()
    );
    assert_eq!(quadrille::kernels::named(KERNEL)?.text, halved, "the last text that compiled");
    super::super::editor::forget()?;
    assert_eq!(quadrille::kernels::named(KERNEL)?.text, built_in);
    Ok(())
}
