//! Avalanches one by one: a grain falls when all is still, and what it sets off is counted.

use anyhow::{Context, Result};
use quadrille::pug::{DoubleBuffer, Operator, Reduction};
use quadrille::{Buffer, Gpu, Program};
use serde_json::{Value as Json, json};

use crate::state::{Named, State};

/// Steps between two looks at whether an avalanche is over.
pub const BEAT: u64 = 8;

/// The part of the light of an avalanche that is left after a step.
const FADE: f32 = 0.985;

/// Sizes are counted in powers of two up to the largest that a float counts.
const BINS: usize = 25;

/// The slope of the line that sizes are held against: 1.2 to 1.3 is published for the number of topplings on an infinite table; a finite one is
/// flatter.
#[cfg(feature = "panel")]
const SLOPE: f64 = -1.2;

/// The avalanches so far, and the one that is under way.
pub struct Avalanches {
    /// Topplings of this avalanche, whether there were any, and light.
    trace: DoubleBuffer,
    count: Program,
    light: Program,
    shown: Buffer,
    sum: Reduction,
    pub tally: Tally,
    /// The last one is over: the next grain may fall.
    pub quiet: bool,
    /// Sand was poured or taken away by hand meanwhile: this one is not counted.
    pub spoiled: bool,
}

/// How many avalanches there were of each size, in topplings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Grains that moved nothing.
    pub none: u64,
    /// Those of 1, of 2 and 3, of 4 to 7 topplings, and so on.
    pub bins: [u64; BINS],
    pub largest: u64,
    /// Cells of the widest one.
    pub widest: u64,
}

impl Tally {
    pub fn add(&mut self, size: u64, cells: u64) {
        match size.checked_ilog2() {
            None => self.none += 1,
            Some(bin) => self.bins[(bin as usize).min(BINS - 1)] += 1,
        }
        self.largest = self.largest.max(size);
        self.widest = self.widest.max(cells);
    }

    /// Avalanches of one toppling at least.
    pub fn all(&self) -> u64 {
        self.bins.iter().sum()
    }

    pub fn json(&self) -> Json {
        let last = self.bins.iter().rposition(|&n| n > 0).map_or(0, |last| last + 1);
        json!({
            "grains_that_moved_nothing": self.none, "avalanches": self.all(), "largest": self.largest,
            "widest": self.widest, "sizes": self.bins[..last],
        })
    }

    fn numbers(&self) -> Vec<u64> {
        [self.none, self.largest, self.widest].into_iter().chain(self.bins).collect()
    }

    fn of(numbers: &[u64]) -> Option<Tally> {
        let (&[none, largest, widest], bins) = numbers.split_first_chunk()?;
        Some(Tally { none, largest, widest, bins: bins.try_into().ok()? })
    }
}

/// Arrays of a state.
const TALLY: &str = "avalanches";
const TRACE: &str = "avalanche";

impl Avalanches {
    pub fn new(gpu: &Gpu, sand: &Buffer) -> Result<Avalanches> {
        let like = || gpu.buffer(sand.width(), sand.height());
        Ok(Avalanches {
            trace: like().components(4).named("avalanche").double().build()?,
            count: gpu.builtin("sim/sandpile_trace.frag")?,
            light: gpu.builtin("view/sandpile_lit.frag")?,
            shown: like().named("lit sand").build()?,
            sum: gpu.reduction(Operator::sum()),
            tally: Tally::default(),
            quiet: true,
            spoiled: false,
        })
    }

    /// Follows a step from that sand; with `fresh` a grain falls in it.
    pub fn step(&mut self, before: &Buffer, fresh: bool) -> Result<()> {
        if fresh {
            (self.quiet, self.spoiled) = (false, false);
        }
        self.count
            .bind_stream("sand", before)?
            .bind_stream("trace", self.trace.front())?
            .bind_float("fresh", if fresh { 1.0 } else { 0.0 })?
            .bind_float("fade", FADE)?;
        self.count.run(self.trace.back())?;
        self.trace.swap();
        Ok(())
    }

    /// Counts the avalanche, which is over.
    pub fn end(&mut self) -> Result<()> {
        if !self.quiet && !self.spoiled {
            let sums = self.sum.value(self.trace.front())?;
            let &[topplings, cells, ..] = &sums[..] else { return Ok(()) };
            self.tally.add(topplings as u64, cells as u64);
        }
        (self.quiet, self.spoiled) = (true, false);
        Ok(())
    }

    /// The sand with the avalanche lit.
    pub fn lit(&mut self, sand: &Buffer) -> Result<()> {
        self.light.bind_stream("sand", sand)?.bind_stream("trace", self.trace.front())?;
        Ok(self.light.run(&self.shown)?)
    }

    pub fn shown(&self) -> &Buffer {
        &self.shown
    }

    pub fn arrays(&self) -> Result<Vec<Named>> {
        let (trace, numbers) = (self.trace.front(), self.tally.numbers());
        let shape = [trace.height() as usize, trace.width() as usize, 4];
        let count = numbers.len();
        let parts = [Named::of_f32(TRACE, &shape, trace.data()?), Named::of_whole(TALLY, &[count], numbers)];
        Ok(parts.into())
    }

    pub fn restore(&mut self, state: &State) -> Result<()> {
        self.trace.write(&state.array(TRACE, 3)?.f32s()?)?;
        let numbers = state.array(TALLY, 1)?.wholes()?;
        self.tally = Tally::of(numbers).context("avalanches: expected 28 numbers")?;
        (self.quiet, self.spoiled) = (state.number("quiet")? != 0.0, state.number("spoiled")? != 0.0);
        Ok(())
    }

    /// Returns true if a state has an avalanche under way.
    pub fn are_in(state: &State) -> bool {
        state.has(TALLY)
    }
}

/// Draws how often avalanches of each size come, both axes by powers of ten, and the line of a power law.
#[cfg(feature = "panel")]
pub fn plot(ui: &mut egui::Ui, tally: &Tally) {
    use egui::{Align2, Color32, FontId, Sense, Stroke, pos2, vec2};
    let all = tally.all();
    ui.strong("how often avalanches of each size come").on_hover_text(
        "Avalanches of 1, of 2 and 3, of 4 to 7 topplings and so on: their share, over the width of that range. A power law is a straight line \
         here: there is no usual size. Where the table ends, so does the line",
    );
    let (place, _) = ui.allocate_exact_size(vec2(ui.available_width().min(420.0), 150.0), Sense::hover());
    let painter = ui.painter_at(place);
    painter.rect_filled(place, 3.0, Color32::from_gray(14));
    let (font, grey) = (FontId::proportional(10.5), Color32::from_gray(170));
    let inner = egui::Rect::from_min_max(place.min + vec2(34.0, 8.0), place.max - vec2(20.0, 28.0));
    let density = |bin: usize| tally.bins[bin] as f64 / all as f64 / 2f64.powi(bin as i32);
    let points: Vec<(f64, f64)> = (0..BINS)
        .filter(|&bin| tally.bins[bin] > 0)
        .map(|bin| ((1.5 * 2f64.powi(bin as i32)).log10(), density(bin).log10()))
        .collect();
    // The middle of the first bin is 1 itself.
    let right = points.last().map_or(3.0, |&(size, _)| size.ceil().max(3.0));
    let low = points.iter().fold(-4.0f64, |low, &(_, share)| low.min(share.floor()));
    let at = |size: f64, share: f64| {
        pos2(
            inner.left() + inner.width() * (size / right) as f32,
            inner.bottom() + inner.height() * ((low - share) / -low) as f32,
        )
    };
    let faint = Stroke::new(1.0, Color32::from_gray(34));
    let power = |exponent: i64| match exponent {
        0 => "1".to_owned(),
        1 => "10".to_owned(),
        n => format!("10^{n}"),
    };
    let every = if low < -7.0 { 3 } else { 2 };
    for exponent in 0..=right as i64 {
        let foot = at(exponent as f64, low);
        painter.line_segment([foot, at(exponent as f64, 0.0)], faint);
        painter.text(foot + vec2(0.0, 2.0), Align2::CENTER_TOP, power(exponent), font.clone(), grey);
    }
    for exponent in (low as i64..=0).filter(|exponent| exponent % every == 0) {
        let end = at(0.0, exponent as f64);
        painter.line_segment([end, at(right, exponent as f64)], faint);
        painter.text(end - vec2(3.0, 0.0), Align2::RIGHT_CENTER, power(exponent), font.clone(), grey);
    }
    painter.text(
        place.center_bottom() - vec2(0.0, 1.0),
        Align2::CENTER_BOTTOM,
        "topplings of an avalanche",
        font.clone(),
        grey,
    );
    if points.is_empty() {
        painter.text(inner.center(), Align2::CENTER_CENTER, "no avalanche yet", font, grey);
        return;
    }
    // Through the sizes from 4 on, which have no grid to feel, as far as a tenth of the largest.
    let fitted = points.iter().filter(|(size, _)| *size > 0.6 && *size < right - 1.5);
    let (sum, many) =
        fitted.fold((0.0, 0), |(sum, many), (size, share)| (sum + share - SLOPE * size, many + 1));
    let height = if many > 0 { sum / f64::from(many) } else { points[0].1 - SLOPE * points[0].0 };
    let amber = Color32::from_rgb(240, 170, 70);
    let ends = [0.0, right].map(|size| at(size, height + SLOPE * size));
    painter.with_clip_rect(inner).extend(egui::Shape::dashed_line(&ends, Stroke::new(1.2, amber), 6.0, 4.0));
    painter.text(inner.right_top(), Align2::RIGHT_TOP, format!("size^{SLOPE}"), font.clone(), amber);
    let dots: Vec<_> = points.iter().map(|&(size, share)| at(size, share)).collect();
    let blue = Color32::from_rgb(120, 190, 255);
    painter.line(dots.clone(), Stroke::new(1.2, blue.gamma_multiply(0.6)));
    dots.into_iter().for_each(|dot| _ = painter.circle_filled(dot, 3.0, blue));
    let grains = all + tally.none;
    ui.weak(format!(
        "{grains} grains, {all} avalanches, the largest of {} topplings on {} cells",
        tally.largest, tally.widest
    ));
}
