//! Controls that a panel shows have an effect: with another value the numbers, the picture or the work of a few steps are others.

use std::rc::Rc;

use anyhow::{Context as _, Result, anyhow, ensure};
use quadrille::Gpu;

use crate::demo::{About, Demo, Request, TestHost};
use crate::list::named;
use crate::panel::is_refusal;
use crate::param::{Kind, Live, Offer, Param, Value, Values};

/// Demos, as their addresses say, and steps after which an effect is seen.
const BEGUN: [(&str, &str, u64); 45] = [
    ("reaction-diffusion", "size=24x24", 2),
    ("sandpile", "size=17x17&grains=1024", 3),
    ("sandpile", "size=17x17&scene=rain", 3),
    ("sandpile", "size=17x17&scene=identity", 3),
    ("sandpile", "size=17x17&scene=avalanches", 20),
    ("wave", "size=24x16&drops=2&picture=64x48", 5),
    ("wave", "size=24x16&drops=2&view=flat", 5),
    ("wave", "size=24x16&drops=2&scheme=implicit&view=flat", 5),
    ("wave", "size=24x16&drops=2&beside&view=flat", 5),
    ("wave", "size=24x16&walls=slit&view=flat", 5),
    ("formats", "size=16x16", 2),
    ("formats", "size=16x16&what=wave", 2),
    ("wall", "columns=3&rows=2&form=reference&picture=64x48", 3),
    ("wall", "columns=3&rows=2&form=groups&picture=64x48", 3),
    ("wall", "columns=3&rows=2&form=dense&method=jacobi&picture=64x48", 3),
    ("wall", "stack=dominoes&columns=3&rows=1&form=reference&show=load&picture=64x48", 3),
    ("heat", "size=24x24&edges=cold&isotherm=0.3", 3),
    ("heat", "size=24x24&flow=branch", 3),
    ("heat", "size=24x24&edges=insulated&flow=ranges", 3),
    ("branches", "size=64x64", 1),
    ("branches", "size=64x64&way=early-exit", 1),
    ("nbody", "bodies=64&picture=64x48", 2),
    ("nbody", "bodies=64&forces=matrix&picture=64x48", 2),
    ("nbody", "scene=figure-eight&picture=64x48", 2),
    ("liquid", "size=8&picture=48x48", 3),
    ("liquid", "size=8&view=slices", 3),
    ("liquid", "size=8&scene=smoke&picture=48x48", 3),
    ("fluid", "size=17x33", 3),
    ("fluid", "size=33x17&scene=channel", 3),
    ("fluid", "size=17x17&scene=cavity&pressure=cg", 3),
    ("fluid", "size=17x17&scene=vortices&pressure=jacobi&particles=50&show=particles", 3),
    ("fluid", "size=17x17&scene=taylor-green&show=speed", 3),
    ("clouds", "size=24x14", 4),
    ("clouds", "size=24x14&scene=towers&show=theta", 4),
    ("clouds", "size=24x14&scene=stable&show=vorticity&heat=300", 4),
    ("histogram", "size=32x32", 2),
    ("histogram", "size=32x32&scene=page&by=points", 2),
    ("sort", "size=4x4", 40),
    ("sort", "size=8x4&view=network&keys=noise", 40),
    ("smooth", "mesh=cube&size=2&picture=48x48", 1),
    ("smooth", "mesh=sheet&size=3&picture=48x48", 1),
    ("gray-scott.toml", "size=16x16", 2),
    ("wave.toml", "size=16x16", 2),
    ("fisher.toml", "size=65", 2),
    ("lotka-volterra.toml", "", 2),
];

/// Controls without an effect on a few steps of so few cells: the demo, the parameter and why it is shown all the same.
const ELSEWHERE: [(&str, &str, &str); 4] = [
    ("heat", "until", "it ends the run, once nothing changes any more"),
    ("sandpile", "then", "what comes when nothing topples any more"),
    ("smooth", "until", "it ends the run after more steps than these"),
    ("liquid", "mouse", "a press of the mouse does this or that"),
];

/// All that can be seen of a run.
#[derive(PartialEq)]
struct Seen {
    numbers: Vec<u32>,
    image: Vec<u8>,
    passes: u64,
}

fn begun(gpu: &Gpu, about: &'static About, address: &str) -> Result<Box<dyn Demo>> {
    let values = about.values_of(address).map_err(|line| anyhow!("{}: {line}", about.name))?;
    let request = Rc::new(Request { draws: true, ..Request::new(values, Rc::new(TestHost::default())) });
    about.refuse(&request)?;
    about.begin(gpu, &request)
}

/// Steps with these values, or why the demo refuses them.
fn seen(gpu: &Gpu, demo: &mut dyn Demo, changed: &Values, steps: u64) -> Result<Option<Seen>> {
    match demo.set(changed) {
        Err(error) if is_refusal(&error) => return Ok(None),
        set => set?,
    }
    let before = gpu.counters().passes;
    for step in 1..=steps {
        demo.before_step(step)?;
        demo.step()?;
    }
    let passes = gpu.counters().passes - before;
    let numbers = demo.numbers()?.values.into_iter().map(f32::to_bits).collect();
    demo.prepare()?;
    Ok(Some(Seen { numbers, image: demo.picture().image()?.rgba, passes }))
}

/// Other values that the panel can give the parameter, the most unlike ones first.
fn others(param: &Param, offer: &Offer, now: Option<&Value>) -> Vec<Value> {
    let read = |text: &str| param.parse(text).ok();
    let all: Vec<Value> = match (offer.live, param.kind) {
        (Live::Slider(slider), _) => {
            let part = |share: f64| slider.low + share * (slider.high - slider.low);
            [part(1.0), part(0.0), part(0.5), part(0.002)]
                .into_iter()
                .filter_map(|number| param.of_number(number))
                .collect()
        }
        (Live::Some(texts), _) => texts.iter().filter_map(|text| read(text)).collect(),
        (Live::Words, Kind::Flag) => [true, false].map(Value::Flag).to_vec(),
        (Live::Words, Kind::Choice(choices)) => {
            choices().iter().filter_map(|choice| read(choice.name)).collect()
        }
        (Live::Words, Kind::Name(names)) => {
            names().iter().rev().filter_map(|line| read(line.split(' ').next()?)).collect()
        }
        _ => Vec::new(),
    };
    all.into_iter().filter(|value| Some(value) != now).collect()
}

/// A control that does nothing where it stands makes its user doubt all others.
fn each_has_an_effect<'a>(of: impl Iterator<Item = &'a (&'static str, &'static str, u64)>) -> Result<()> {
    let gpu = Gpu::headless()?;
    let mut idle = Vec::new();
    for &(name, address, steps) in of {
        let about = named(name).context(name)?;
        let mut demo = begun(&gpu, about, address)?;
        let values = demo.values();
        let shown = about.params().filter(|param| (param.matters)(&values));
        let shown: Vec<_> = shown.map(|param| (param, demo.offer(param))).collect();
        let usual = seen(&gpu, &mut *demo, &Values::new(), steps)?.context("nothing set is refused")?;
        for (param, offer) in shown {
            let now = values.get(param.name).or(offer.now.as_ref()).cloned();
            let others = others(param, &offer, now.as_ref());
            if others.is_empty() || now.is_none() {
                continue;
            }
            let mut has_effect = false;
            for other in &others {
                let mut demo = begun(&gpu, about, address)?;
                let changed = Values::new().with(param.name, other.clone());
                has_effect |= seen(&gpu, &mut *demo, &changed, steps)?.is_some_and(|seen| seen != usual);
                if has_effect {
                    break;
                }
            }
            let excused = ELSEWHERE.iter().any(|&(demo, of, _)| demo == name && of == param.name);
            if !has_effect && !excused {
                idle.push(format!("{name} {address}: {}", param.name));
            }
        }
    }
    ensure!(idle.is_empty(), "controls without effect:\n{}", idle.join("\n"));
    Ok(())
}

#[test]
fn every_control_that_each_demo_shows_first_has_an_effect() -> Result<()> {
    each_has_an_effect(
        BEGUN.iter().enumerate().filter(|&(i, of)| i == 0 || BEGUN[i - 1].0 != of.0).map(|(_, of)| of),
    )
}

#[test]
#[ignore = "all scenes and views take a minute"]
fn every_control_that_is_shown_has_an_effect() -> Result<()> {
    each_has_an_effect(BEGUN.iter())
}
