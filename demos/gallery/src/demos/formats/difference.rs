//! The difference of each format from f64, as a picture.

use anyhow::Result;
use quadrille::view::{Mapping, Tones};
use quadrille::{Buffer, Gpu};

use super::subject::Subject;
use crate::picture::Field;

/// The content of the panels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    State,
    Difference,
}

pub const SHOWN: [(&str, &str, Shown); 2] = [
    ("state", "the numbers of each format: v of gray-scott, heights of wave", Shown::State),
    (
        "difference",
        "those numbers minus those of the run in 64 bits, on a logarithmic scale of three decades on each side of 0",
        Shown::Difference,
    ),
];

/// The differences as they were computed last; they are read back and subtracted in f64, which 32 bits could not show of themselves.
#[derive(Default)]
pub struct Difference {
    buffer: Option<Buffer>,
    /// The step that they are of, and the largest number that a state has.
    of: Option<(u64, f32)>,
}

impl Difference {
    /// Computes those of now; there are none of planets and counters.
    pub fn look(&mut self, gpu: &Gpu, subject: &Subject) -> Result<()> {
        let Some(differences) = subject.differences()? else {
            *self = Difference::default();
            return Ok(());
        };
        if self.of.is_some_and(|(steps, _)| steps == differences.steps) {
            return Ok(());
        }
        let picture = subject.picture();
        let buffer = match self.buffer.take() {
            Some(buffer) => buffer,
            None => gpu.buffer(picture.width(), picture.height()).named("differences").build()?,
        };
        buffer.write(&differences.values)?;
        (self.buffer, self.of) = (Some(buffer), Some((differences.steps, differences.most)));
        Ok(())
    }

    /// The state has changed without a step.
    pub fn forget(&mut self) {
        self.of = None;
    }

    /// The picture, if there is one.
    pub fn field(&self) -> Option<Field<'_>> {
        let (buffer, (_, most)) = (self.buffer.as_ref()?, self.of?);
        let tones = Tones { logarithmic: true, lines: 0 };
        let mapping = Mapping { tones, ..Mapping::of_component(0, -most, most) };
        Some(Field { buffer, heights: false, colours: "purple_green", mapping })
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use anyhow::{Context, Result, anyhow};
    use quadrille::Gpu;
    use quadrille::sim::formats::FORMATS;

    use super::super::ABOUT;
    use super::super::subject::{Constants, Subject, SubjectName};
    use crate::demo::{Demo, Request, TestHost};
    use crate::picture::{Drag, Touch};
    use crate::state::Named;

    /// The numbers of each format, and those in f64.
    fn runs(demo: &dyn Demo) -> Result<(Vec<Vec<f32>>, Vec<f64>)> {
        let arrays = demo.arrays()?;
        let formats =
            arrays.iter().filter(|array| array.name.starts_with("float") && array.name != "float64");
        let twin = arrays.iter().find(|array| array.name == "float64").context("no float64")?;
        Ok((formats.map(Named::any_f32s).collect(), twin.any_f64s()))
    }

    /// Each panel has its own format minus f64, of v or of the height, rounded once.
    #[test]
    fn differences_are_those_of_the_states_in_each_panel() -> Result<()> {
        let gpu = Gpu::headless()?;
        for (what, component) in [(SubjectName::GrayScott, 1), (SubjectName::Wave, 0)] {
            let mut subject = Subject::new(&gpu, what, Some([13, 11]), 1, Constants::default())?;
            (0..5).try_for_each(|_| subject.step())?;
            let found = subject.differences()?.context("none")?;
            let Subject::Comparison { comparison, .. } = &subject else {
                return Err(anyhow!("no comparison"));
            };
            let mut nonzero = 0;
            for format in 0..FORMATS.len() {
                let (place, state) =
                    (comparison.place(format), comparison.state(format).context("none")?.data()?);
                for (i, numbers) in state.chunks(2).enumerate() {
                    let exact = f64::from(numbers[component]) - comparison.twin()[2 * i + component];
                    let at = (place.y0 as usize + i / 13) * comparison.picture().width() as usize;
                    let seen = found.values[at + place.x0 as usize + i % 13];
                    assert_eq!(seen, exact as f32, "format {format}, cell {i}");
                    nonzero += u32::from(seen != 0.0);
                }
            }
            assert!(nonzero > 100, "{nonzero} differences");
        }
        let counters = Subject::new(&gpu, SubjectName::Counter, None, 1, Constants::default())?;
        assert!(counters.differences()?.is_none());
        Ok(())
    }

    /// Under the tip all formats and f64 have the same numbers, in whichever panel it was; beside it nothing changes.
    #[test]
    fn what_is_painted_on_one_panel_is_painted_on_all_formats() -> Result<()> {
        let gpu = Gpu::headless()?;
        for (flags, painted) in
            [("what=gray-scott&size=13x11", [0.5, 0.25]), ("what=wave&size=13x11", [0.15, 0.15])]
        {
            let values = ABOUT.values_of(flags).map_err(|line| anyhow!(line))?;
            let request =
                Rc::new(Request { draws: true, ..Request::new(values, Rc::new(TestHost::default())) });
            let mut demo = (ABOUT.start)(&gpu, &request)?;
            (0..3).try_for_each(|_| demo.step())?;
            let before = runs(&*demo)?;
            // A line of two texels lies between the panels: this is cell (4, 6) of the last one.
            let [x, y] = [13.0 + 2.0 + 4.5, 11.0 + 2.0 + 6.5];
            demo.touch(Touch::Cell { x, y, tip: 1.2.into(), drag: Drag::default() })?;
            let after = runs(&*demo)?;
            for i in 0..13 * 11 {
                let (column, row) = (i % 13, i / 13);
                let inside = usize::abs_diff(column, 4) + usize::abs_diff(row, 6) <= 1;
                for k in [2 * i, 2 * i + 1] {
                    for (format, (before, after)) in before.0.iter().zip(&after.0).enumerate() {
                        let same = before[k] == after[k];
                        assert!(inside || same, "{flags}: format {format}, cell ({column}, {row})");
                        if inside && (column, row) == (4, 6) {
                            // Stored as the format can.
                            assert!((after[k] - painted[k % 2]).abs() < 1e-3, "{flags}: {}", after[k]);
                        }
                    }
                    assert!(inside || before.1[k] == after.1[k], "{flags}: f64, cell ({column}, {row})");
                }
            }
            assert!((after.1[2 * (6 * 13 + 4)] - f64::from(painted[0])).abs() < 1e-6, "{flags}");
        }
        Ok(())
    }
}
