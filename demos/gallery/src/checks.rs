//! Tests that a check sees a step that was not made, in every demo whose steps change something.
//!
//! Not here: sort and counter, whose checks go by the steps that their own simulation has counted; and what is at rest, as a
//! wall that nobody pushes. Fluid and liquid have tests of their own.

use std::rc::Rc;

use anyhow::{Result, bail, ensure};
use quadrille::Gpu;

use crate::demo::{Demo, Measure, Request, TestHost};
use crate::list;
use crate::param::{Kind, Param, Value, Values};

const CASES: [&str; 15] = [
    "reaction-diffusion --size 19x13",
    "wave --size 31x17",
    "wave --size 31x17 --scheme implicit --beta 1",
    "wave --size 31x17 --scheme implicit --beta 300",
    "wave --size 31x17 --scheme implicit --beta 10000 --edges reflecting",
    "formats --what gray-scott --size 19x13",
    "formats --what wave --size 19x13",
    "formats --what orbit --size 33x32",
    "wall --columns 2 --rows 2 --push 6 --form reference",
    "wall --columns 1 --rows 1 --push 6 --no-ground --gravity 0 --form reference",
    "heat --size 19x13",
    "branches --size 16x16",
    "nbody --bodies 16",
    "histogram --size 19x13",
    "clouds --size 16x12",
];

/// The values of flags as they are typed.
fn values(params: &[&'static Param], line: &str) -> Result<Values> {
    let (mut values, mut words) = (Values::new(), line.split_whitespace());
    while let Some(word) = words.next() {
        let name = word.strip_prefix("--").unwrap_or_default();
        let Some(param) = params.iter().find(|param| param.name == name) else {
            bail!("no parameter {word}")
        };
        let value = match param.kind {
            Kind::Flag => Value::Flag(true),
            _ => param.parse(words.next().unwrap_or_default()).map_err(anyhow::Error::msg)?,
        };
        values.set(param.name, value);
    }
    Ok(values)
}

/// The demo of that line, without a window and pictures; `None` for one that is not built in.
fn started(gpu: &Gpu, line: &str) -> Result<Option<Box<dyn Demo>>> {
    let (name, flags) = line.split_once(' ').unwrap_or((line, ""));
    let Some(about) = list::named(name) else {
        ensure!(name == "wall" && !cfg!(feature = "wall"), "{line}: no demo");
        return Ok(None);
    };
    let request = Rc::new(Request {
        values: values(&about.params().collect::<Vec<_>>(), flags)?,
        seed: None,
        load: None,
        draws: false,
        windowless: true,
        saves_one_array: false,
        exports: Vec::new(),
        host: Rc::new(TestHost::default()),
    });
    (about.check)(&request)?;
    (about.start)(gpu, &request).map(Some)
}

fn failing(measures: &[Measure]) -> Vec<&'static str> {
    measures.iter().filter(|measure| !measure.passes()).map(|measure| measure.name).collect()
}

#[test]
fn a_step_that_was_not_made_fails_the_check_and_one_that_was_passes() -> Result<()> {
    let gpu = Gpu::headless()?;
    for line in CASES {
        let Some(mut demo) = started(&gpu, line)? else { continue };
        demo.before_step(1)?;
        let before = demo.numbers()?;
        // Branches begins with results of 0, and makes the same in every step.
        let skipped = demo.check(&before)?;
        assert!(!failing(&skipped).is_empty(), "{line}: {skipped:?}");
        // Each format by itself: one that stands still is seen, whatever the others do.
        if line.starts_with("formats") {
            let seen = failing(&skipped).iter().filter(|name| name.contains("error")).count();
            assert_eq!(seen, 4, "{line}: {skipped:?}");
        }
        demo.step()?;
        let made = demo.check(&before)?;
        assert!(failing(&made).is_empty(), "{line}: {made:?}");
    }
    Ok(())
}
