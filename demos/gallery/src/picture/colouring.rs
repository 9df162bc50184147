//! How numbers become colours, as the user has set it: their range, their scale, what lies between cells, lines and arrows.

use anyhow::Result;
use quadrille::view::{Extremes, Magnitude, Tones};
use quadrille::{Buffer, Gpu};

/// The ends of the colours.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Range {
    /// Those of the demo.
    #[default]
    Fixed,
    /// The least and the largest number of the picture.
    Automatic,
    /// As they were typed.
    Typed([f32; 2]),
}

/// How numbers become colours.
pub struct Colouring {
    range: Range,
    tones: Tones,
    smooth: bool,
    arrows: bool,
    streamlines: bool,
    /// The demo has ends of its own.
    has_own: bool,
    numbers: Extremes,
    speeds: Extremes,
    /// The least and the largest number.
    found: Option<[f32; 2]>,
    /// The largest speed.
    fastest: Option<f32>,
}

/// The most lines of a picture.
#[cfg(feature = "panel")]
const MOST_LINES: u32 = 64;

/// The switches that a picture has a use for.
#[derive(Clone, Copy)]
pub struct Switches {
    /// The least and the largest number are found.
    pub automatic: bool,
    /// Colours may be those of logarithms.
    pub logarithmic: bool,
    /// Squares, unless what lies between cells is interpolated.
    pub smooth: bool,
    pub lines: bool,
    pub arrows: bool,
    pub streamlines: bool,
}

impl Colouring {
    /// As the demo has it.
    pub fn new(gpu: &Gpu) -> Colouring {
        let (range, tones) = (Range::default(), Tones::default());
        let (numbers, speeds) = (Extremes::new(gpu), Extremes::new(gpu));
        let (found, fastest) = (None, None);
        Colouring {
            range,
            tones,
            smooth: false,
            arrows: false,
            streamlines: false,
            has_own: true,
            numbers,
            speeds,
            found,
            fastest,
        }
    }

    pub fn tones(&self) -> Tones {
        self.tones
    }

    /// Shows numbers as the demo does, until the user wants them otherwise.
    pub fn set_tones(&mut self, tones: Tones) {
        self.tones = tones;
    }

    /// Interpolates between cells, or does not, until the user wants it otherwise.
    pub fn set_smooth(&mut self, smooth: bool) {
        self.smooth = smooth;
    }

    /// Numbers between cells are interpolated.
    pub fn smooth(&self) -> bool {
        self.smooth
    }

    /// Arrows are drawn.
    pub fn has_arrows(&self) -> bool {
        self.arrows
    }

    /// Streamlines are drawn.
    pub fn has_streamlines(&self) -> bool {
        self.streamlines
    }

    /// Draws arrows from the beginning.
    pub fn begin_with_arrows(&mut self, arrows: bool) {
        self.arrows = arrows;
    }

    /// Draws streamlines from the beginning.
    pub fn begin_with_streamlines(&mut self, streamlines: bool) {
        self.streamlines = streamlines;
    }

    /// The picture shows something else: its ends are those of the demo again.
    pub fn forget(&mut self) {
        self.range = if self.has_own { Range::Fixed } else { Range::Automatic };
        self.renew();
    }

    /// The same of a picture for which the demo has ends of its own, or none: those are then found.
    pub fn begin(&mut self, has_own: bool) {
        self.has_own = has_own;
        self.forget();
    }

    /// The next look waits: the picture is not that of the looks before.
    pub fn renew(&mut self) {
        self.found = None;
        self.numbers.forget();
    }

    /// Looks for the least and the largest number, if they are the ends, without waiting for them.
    ///
    /// # Errors
    /// Those of passes.
    pub fn look(&mut self, buffer: &Buffer, magnitude: Magnitude) -> Result<()> {
        if self.range == Range::Automatic {
            self.found = match self.numbers.look(buffer, magnitude)? {
                None if self.found.is_none() => self.numbers.now(buffer, magnitude)?,
                found => found.or(self.found),
            };
        }
        Ok(())
    }

    /// The largest speed of this velocity where arrows are drawn, and where streamlines are.
    ///
    /// # Errors
    /// Those of passes.
    pub fn flow(&mut self, velocity: &Buffer) -> Result<[Option<f32>; 2]> {
        if !self.arrows && !self.streamlines {
            return Ok([None; 2]);
        }
        let found = match self.speeds.look(velocity, Magnitude::Length)? {
            None if self.fastest.is_none() => self.speeds.now(velocity, Magnitude::Length)?,
            found => found,
        };
        self.fastest = found.map(|[_, most]| most).or(self.fastest);
        let most = self.fastest.filter(|&most| most > 0.0);
        Ok([self.arrows, self.streamlines].map(|drawn| most.filter(|_| drawn)))
    }

    /// The ends of the colours, of a picture whose demo would have `own`.
    pub fn ends(&self, own: [f32; 2]) -> [f32; 2] {
        let ends = match (self.range, self.found) {
            (Range::Automatic, Some(found)) if self.has_own => around(found, own),
            (Range::Automatic, Some(found)) => around(at_rest(found), own),
            (Range::Typed(typed), _) => typed,
            (Range::Fixed, _) | (Range::Automatic, None) => own,
        };
        if are_ends(ends) { ends } else { own }
    }

    /// Shows the widgets; of a picture without numbers in colours, which has no ends, only those of its flow.
    #[cfg(feature = "panel")]
    pub fn widgets(
        &mut self,
        ui: &mut egui::Ui,
        colours: Option<&mut String>,
        own: Option<[f32; 2]>,
        unit: super::Unit,
        switches: Switches,
    ) -> Option<[[u8; 3]; 256]> {
        let (mut shades, mut is_open) = (None, false);
        ui.horizontal_wrapped(|ui| {
            shades = colours.and_then(|colours| super::colour_widget(ui, colours));
            if own.is_some() {
                is_open = super::kept_switch(ui, "range and lines", |ui, on| {
                    ui.toggle_value(on, "range").on_hover_text("Which numbers the colours stand for; contours")
                });
            }
            if switches.arrows {
                let line = "Velocities; the longest arrow is the fastest of the picture";
                ui.checkbox(&mut self.arrows, "arrows").on_hover_text(line);
            }
            if switches.streamlines {
                let line = "Noise that is smeared along the flow: lines that a particle would follow if the flow stood still";
                ui.checkbox(&mut self.streamlines, "streamlines").on_hover_text(line);
            }
        });
        if let Some(own) = own.filter(|_| is_open) {
            self.range_widgets(ui, own, unit, switches.automatic);
            ui.horizontal_wrapped(|ui| self.tone_widgets(ui, switches));
        }
        shades
    }

    #[cfg(feature = "panel")]
    fn tone_widgets(&mut self, ui: &mut egui::Ui, switches: Switches) {
        if switches.logarithmic {
            let line = "Colours by logarithms: three decades on each side of 0, linear below a thousandth of the larger end";
            ui.checkbox(&mut self.tones.logarithmic, "log").on_hover_text(line);
        }
        if switches.smooth {
            let line = "Numbers between the middles of cells; else each cell is a square";
            ui.checkbox(&mut self.smooth, "smooth").on_hover_text(line);
        }
        if switches.lines {
            let lines = egui::DragValue::new(&mut self.tones.lines).range(0..=MOST_LINES).speed(0.1);
            ui.add(lines.prefix("contours ")).on_hover_text(
                "Lines of equal numbers over the picture, which divide the range of the colours into so many parts; 0 for none. Drag, or type",
            );
        }
    }

    #[cfg(feature = "panel")]
    fn range_widgets(&mut self, ui: &mut egui::Ui, own: [f32; 2], unit: super::Unit, automatic: bool) {
        use egui::{ComboBox, DragValue};
        let now = self.ends(own);
        let word = |range: Range| match range {
            Range::Fixed => "fixed",
            Range::Automatic => "automatic",
            Range::Typed(_) => "typed",
        };
        ui.horizontal_wrapped(|ui| {
            let list = ComboBox::from_id_salt("range").width(84.0).selected_text(word(self.range));
            let list = list.show_ui(ui, |ui| {
                for range in [Range::Fixed, Range::Automatic, Range::Typed(now)] {
                    let same = word(self.range) == word(range);
                    let offered = match range {
                        Range::Automatic => automatic,
                        Range::Fixed => self.has_own,
                        Range::Typed(_) => true,
                    };
                    let line = match range {
                        Range::Fixed => "The ends that the demo gives its colours",
                        Range::Automatic => "From the least to the largest number of the picture",
                        Range::Typed(_) => "Ends of your own",
                    };
                    let item = ui.add_enabled(offered, egui::Button::selectable(same, word(range)));
                    let why = match range {
                        Range::Fixed => "The demo gives its colours no ends",
                        _ => "These numbers are made while they are drawn: nothing has all of them",
                    };
                    let item = item.on_disabled_hover_text(why);
                    if item.on_hover_text(line).clicked() && !same {
                        self.range = range;
                    }
                }
            });
            list.response.on_hover_text("Which numbers the first and the last colour have");
            if let Range::Typed(ends) = &mut self.range {
                let by = 0.005 * (f64::from(own[1]) - f64::from(own[0])).abs() * unit.times;
                for end in &mut *ends {
                    let mut shown = f64::from(*end) * unit.times;
                    let value = DragValue::new(&mut shown).speed(by).max_decimals(6);
                    if ui
                        .add(value)
                        .on_hover_text(unit.after("Drag, or type a number; in").trim_end_matches("; in"))
                        .changed()
                    {
                        *end = (shown / unit.times) as f32;
                    }
                }
                if !are_ends(*ends) {
                    ui.colored_label(ui.visuals().error_fg_color, "two different finite numbers");
                }
            } else {
                ui.label("range");
            }
        });
    }
}

/// The part of the largest number that the ends of a picture without ends of its own lie apart at least: less is rest, and looks so.
const REST: f32 = 0.01;

/// Ends that are no nearer to each other than that.
fn at_rest([least, most]: [f32; 2]) -> [f32; 2] {
    let (middle, room) = (0.5 * (least + most), 0.5 * REST * least.abs().max(most.abs()));
    [least.min(middle - room), most.max(middle + room)]
}

/// Returns true if colours can lie between these numbers.
fn are_ends([low, high]: [f32; 2]) -> bool {
    low.is_finite() && high.is_finite() && low != high
}

/// The ends of numbers between `least` and `most`, as the demo's own lie: the other way round, or alike on both sides of 0.
fn around([least, most]: [f32; 2], [first, last]: [f32; 2]) -> [f32; 2] {
    let [low, high] = if first == -last {
        let size = least.abs().max(most.abs());
        [-size, size]
    } else if least < most {
        [least, most]
    } else {
        // All are one number: it has the colour in the middle.
        let room = (1e-3 * least.abs()).max(1e-6);
        [least - room, most + room]
    };
    if first > last { [high, low] } else { [low, high] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_is_the_demos_own_the_picture_s_or_typed_and_never_of_no_width() -> Result<()> {
        let gpu = Gpu::headless()?;
        let field = gpu.buffer(3, 2).components(2).init(&[
            9.0,
            0.25,
            9.0,
            f32::NAN,
            9.0,
            4.0,
            9.0,
            -1.0,
            9.0,
            2.0,
            9.0,
            3.0,
        ])?;
        let magnitude = Magnitude::Weighed([0.0, 1.0, 0.0, 0.0]);
        let mut colouring = Colouring::new(&gpu);
        colouring.look(&field, magnitude)?;
        assert_eq!(colouring.ends([0.0, 0.4]), [0.0, 0.4]);
        colouring.range = Range::Automatic;
        colouring.look(&field, magnitude)?;
        assert_eq!(colouring.ends([0.0, 0.4]), [-1.0, 4.0]);
        assert_eq!(colouring.ends([0.4, 0.0]), [4.0, -1.0], "the other way round");
        assert_eq!(colouring.ends([-0.4, 0.4]), [-4.0, 4.0], "alike on both sides of 0");
        // Another picture is seen in time.
        field.write(&[0.0; 12])?;
        for _ in 0..40 {
            colouring.look(&field, magnitude)?;
            gpu.finish();
        }
        let [low, high] = colouring.ends([0.0, 0.4]);
        assert!(low < 0.0 && high > 0.0 && high - low < 1e-5, "{low} {high}");
        assert_eq!(colouring.ends([-0.4, 0.4]), [-0.4, 0.4], "nothing but 0");
        colouring.range = Range::Typed([2.0, -5.0]);
        assert_eq!(colouring.ends([0.0, 0.4]), [2.0, -5.0]);
        colouring.range = Range::Typed([2.0, 2.0]);
        assert_eq!(colouring.ends([0.0, 0.4]), [0.0, 0.4]);
        colouring.forget();
        assert_eq!(colouring.range, Range::Fixed);
        // A picture without ends of its own has those of its numbers at once.
        field.write(&[0.0, 3.0, 0.0, 7.0, 0.0, 5.0, 0.0, 4.0, 0.0, 4.0, 0.0, 4.0])?;
        colouring.begin(false);
        colouring.look(&field, magnitude)?;
        assert_eq!(colouring.ends([0.0, 1.0]), [3.0, 7.0]);
        // Where it rests but for a ripple, the ripple has the colours of the middle, unless somebody chose those ends.
        let ripple = [3.9998f32, 4.0002];
        colouring.found = Some(ripple);
        let [low, high] = colouring.ends([0.0, 1.0]);
        assert!((high - low - REST * ripple[1]).abs() < 1e-5, "{low} {high}");
        assert!(((ripple[0] + ripple[1]) / 2.0 - (low + high) / 2.0).abs() < 1e-6, "{low} {high}");
        (colouring.has_own, colouring.range) = (true, Range::Automatic);
        assert_eq!(colouring.ends([0.0, 1.0]), ripple);
        Ok(())
    }

    #[test]
    fn the_longest_arrow_is_the_fastest_velocity() -> Result<()> {
        let gpu = Gpu::headless()?;
        let velocity = gpu.buffer(2, 2).components(2).init(&[0.0, 0.0, 3.0, 4.0, -1.0, 0.0, 0.0, 2.0])?;
        let mut colouring = Colouring::new(&gpu);
        assert_eq!(colouring.flow(&velocity)?, [None, None]);
        colouring.arrows = true;
        assert_eq!(colouring.flow(&velocity)?, [Some(5.0), None]);
        colouring.streamlines = true;
        assert_eq!(colouring.flow(&velocity)?, [Some(5.0), Some(5.0)]);
        velocity.write(&[0.0; 8])?;
        colouring.fastest = None;
        colouring.speeds.forget();
        assert_eq!(colouring.flow(&velocity)?, [None, None], "nothing flows");
        Ok(())
    }
}
