//! The floors of the GPU at hand, measured.

use quadrille::trace::{CARDS, Card, Recorder, Watch};
use quadrille::{Error, Gpu, Result, kernels};

use crate::support::on_gpu;

/// Seconds of the quickest of some passes, and those that a card needs for one at least.
fn quickest(gpu: &Gpu, side: u32, card: &Card) -> Result<(f64, f64)> {
    let mut axpy = gpu.load(kernels::named("bench/axpy.frag")?)?;
    let zeros = vec![0.0; 4 * (side * side) as usize];
    let [x, y] = [
        gpu.buffer(side, side).components(4).init(&zeros)?,
        gpu.buffer(side, side).components(4).init(&zeros)?,
    ];
    let next = gpu.buffer(side, side).components(4).build()?;
    axpy.bind_stream("x", &x)?.bind_stream("y", &y)?.bind_float("a", 0.5)?.run(&next)?;
    let recorder = Recorder::start(gpu, Watch { times: true, ..Watch::default() })?;
    (0..20).try_for_each(|_| axpy.run(&next))?;
    let trace = recorder.end();
    let seconds = trace.passes().filter_map(|pass| pass.seconds).fold(f64::INFINITY, f64::min);
    Ok((seconds, trace.predicted(card) / 20.0))
}

#[test]
fn what_is_measured_fits_together() -> Result<()> {
    on_gpu(|gpu| {
        let card = Card::measure(gpu)?;
        assert_eq!((&*card.name, CARDS.contains(&card)), (&*gpu.driver().renderer, false));
        // The pass that fetches most brings four bytes or more with each, and one that writes moves what it writes.
        assert!(card.fetched >= 4.0 * card.fetches && card.bytes >= card.written, "{card:?}");
        Ok(())
    })
}

/// Twice as quick would be a floor that is none; the other half is a machine that was busy while it was measured.
#[test]
#[ignore = "times, which other work on the machine changes: by hand, alone on the GPU"]
fn no_pass_is_quicker_than_the_floors_that_were_measured() -> Result<()> {
    on_gpu(|gpu| {
        let card = Card::measure(gpu)?;
        for side in [1, 64, 509] {
            let (seconds, floor) = quickest(gpu, side, &card)?;
            assert!(seconds > 0.5 * floor, "{side}: {seconds} s, floor {floor} s, {card:?}");
        }
        Ok(())
    })
}

#[test]
fn a_trace_goes_by_the_card_that_it_is_given() -> Result<()> {
    on_gpu(|gpu| {
        let recorder = Recorder::start(gpu, Watch::default())?;
        assert!(matches!(Card::measure(gpu), Err(Error::BadParameter { name: "recorder", .. })));
        let mut trace = recorder.end();
        assert_eq!(trace.card.as_ref(), Card::of(&trace.renderer));
        assert!(trace.cards().eq(&CARDS), "a card of the table is no other one");
        let own = Card { name: "mine".into(), pass: 1.0, ..CARDS[0].clone() };
        trace.card = Some(own.clone());
        assert!(trace.cards().eq([&own].into_iter().chain(&CARDS)));
        let cards = &trace.json()["cards"];
        assert_eq!(
            (&cards[0]["name"], &cards[0]["own"], &cards[1]["own"]),
            (&"mine".into(), &true.into(), &false.into())
        );
        Ok(())
    })
}
