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

/// The numbers of the kernels that floors are measured with: a driver may leave out what changes nothing.
#[test]
fn what_is_measured_is_computed() -> Result<()> {
    on_gpu(|gpu| {
        let [width, height] = [13u32, 7];
        let texels = (width * height) as usize;
        let all = || gpu.buffer(width, height).components(4).build();
        let place = |i: usize| [(i as u32 % width) as f32 + 0.5, (i as u32 / width) as f32 + 0.5];
        let fours = [all()?, all()?, all()?, all()?];
        gpu.builtin("bench/fill_four.frag")?.onto(&fours.each_ref()).run()?;
        let one = all()?;
        gpu.builtin("bench/fill.frag")?.run(&one)?;
        for target in fours.iter().chain([&one]) {
            for (i, found) in target.data()?.as_chunks::<4>().0.iter().enumerate() {
                let [x, y] = place(i);
                let off = (0..4).map(|n| (found[n] - [x, y, y, x][n]).abs()).fold(0.0, f32::max);
                assert!(off <= 1e-5, "{i}: {found:?}");
            }
        }
        // Whole numbers, so that sums have no rounding.
        let numbers: Vec<f32> = (0..4 * texels).map(|i| ((i * i + 3 * i) % 61) as f32).collect();
        let values = gpu.buffer(width, height).components(4).init(&numbers)?;
        gpu.builtin("bench/fetch_block.frag")?
            .bind_stream("values", &values)?
            .bind_domain("at", values.rect())?
            .run(&one)?;
        for (i, found) in one.data()?.as_chunks::<4>().0.iter().enumerate() {
            let [x, y] = [i as i32 % width as i32, i as i32 / width as i32];
            let mut sum = [0.0; 4];
            for (right, up) in (-4..4).flat_map(|up| (-4..4).map(move |right| (right, up))) {
                let at = [(x + right).clamp(0, width as i32 - 1), (y + up).clamp(0, height as i32 - 1)];
                let texel = 4 * (at[1] * width as i32 + at[0]) as usize;
                (0..4).for_each(|n| sum[n] += numbers[texel + n]);
            }
            assert_eq!(found, &sum, "{x} {y}");
        }
        let mut streams = gpu.builtin("bench/fetch_streams.frag")?;
        let mut sums = vec![0.0; texels];
        for (k, name) in ["a", "b", "c", "d", "e", "f", "g", "h"].into_iter().enumerate() {
            let numbers: Vec<f32> = (0..4 * texels).map(|i| ((i * (k + 2) + k) % 53) as f32).collect();
            for (sum, texel) in sums.iter_mut().zip(numbers.as_chunks::<4>().0) {
                *sum += texel.iter().sum::<f32>();
            }
            streams.bind_stream(name, &gpu.buffer(width, height).components(4).init(&numbers)?)?;
        }
        let target = gpu.buffer(width, height).build()?;
        streams.bind_domain("at", target.rect())?.run(&target)?;
        assert_eq!(target.data()?, sums);
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
