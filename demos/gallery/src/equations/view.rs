//! Views of equations: colours with contours and arrows, a curve, a line over time, a lit surface.

use anyhow::{Result, ensure};
use quadrille::gl::Edges;
use quadrille::pde::{Equations, Formula, Show, Shown, Simulation};
use quadrille::view::{
    Camera, HeightField, MOST_CONTOURS, Magnitude, NodeColours, NodeCurve, Nodes, Perspective, Tones,
};
use quadrille::{Buffer, Gpu, Rect};

use crate::image::Image;
use crate::palette;
#[cfg(feature = "panel")]
use crate::picture::Switches;
use crate::picture::{Brush, Colouring, Layout, Numbers, Picture, Source, Unit, named_colours};

/// Pixels of a curve, of a line over time and of a surface, unless the user says otherwise.
const SIZE: [u32; 2] = [640, 480];

/// The colour of what is no number and of what lies outside the domain.
const MISSING: [f32; 3] = [0.16, 0.17, 0.19];

/// The number of a node.
const MAGNITUDE: Magnitude = Magnitude::Weighed([1.0, 0.0, 0.0, 0.0]);

/// Rows that a picture of a line over time has at most.
const MOST_ROWS: u64 = 4096;

/// Curves of earlier moments beside the newest.
const EARLIER: u32 = 6;

/// A view as the file has it, or one that is added so that each field can be seen.
pub struct Chosen {
    pub title: String,
    /// The formula that it shows, as it is written on paper.
    pub formula: String,
    pub show: Formula,
    pub kind: Show,
    pub colours: String,
    range: Option<[f32; 2]>,
    contours: Vec<f32>,
    arrows: Option<[Formula; 2]>,
}

/// The views of a file, those of fields that none of them shows, and the first one as a surface or over time.
///
/// # Errors
/// A kind that does not fit the domain; contours or arrows over what has none; colours that there are not.
fn all(equations: &Equations, simulation: &Simulation) -> Result<Vec<Chosen>> {
    let is_line = equations.grid.dimensions == 1;
    let mut all: Vec<Chosen> = Vec::new();
    let named = |show: &Formula, kind: Show| {
        let kind = match (kind, is_line) {
            (Show::Colour, true) => "over time",
            (Show::Colour, false) => "colours",
            (Show::Line, _) => "curve",
            (Show::Surface, _) => "surface",
        };
        format!("{}: {kind}", equations.formula_written(show))
    };
    for view in &equations.views {
        let kind = view.kind;
        ensure!(
            !(is_line && kind == Show::Surface),
            "a line has no surface: expected the kind colour or line"
        );
        ensure!(
            is_line || kind != Show::Line,
            "a rectangle is no curve: expected the kind colour or surface"
        );
        ensure!(
            kind == Show::Colour && !is_line || view.contours.is_empty() && view.arrows.is_none(),
            "contours and arrows lie over the colours of a rectangle"
        );
        ensure!(
            view.contours.len() <= MOST_CONTOURS,
            "{} contours: expected {MOST_CONTOURS} at most",
            view.contours.len()
        );
        named_colours(view.colours.as_deref().unwrap_or(palette::DEFAULT))?;
        all.push(Chosen {
            title: named(&view.show, kind),
            formula: equations.formula_written(&view.show),
            show: view.show.clone(),
            kind,
            colours: view.colours.as_deref().unwrap_or(palette::DEFAULT).to_owned(),
            range: view.range.map(|ends| ends.map(|end| end as f32)),
            contours: view.contours.iter().map(|level| *level as f32).collect(),
            arrows: view.arrows.clone(),
        });
    }
    let plain = |show: Formula, kind: Show, like: Option<&Chosen>| Chosen {
        title: named(&show, kind),
        formula: equations.formula_written(&show),
        show,
        kind,
        colours: like.map_or(palette::DEFAULT, |like| &like.colours).to_owned(),
        range: like.and_then(|like| like.range),
        contours: Vec::new(),
        arrows: None,
    };
    for field in 0..equations.fields.len() {
        let show = simulation.field(field);
        if all.iter().all(|view| view.formula != equations.formula_written(&show)) {
            let usual = if is_line && !all.is_empty() { Show::Line } else { Show::Colour };
            all.push(plain(show, usual, None));
        }
    }
    let other = if is_line { [Show::Line, Show::Colour] } else { [Show::Colour, Show::Surface] };
    if let Some(first) = all.first() {
        let missing = other
            .into_iter()
            .filter(|kind| all.iter().all(|view| view.kind != *kind || view.formula != first.formula));
        let more: Vec<Chosen> = missing.map(|kind| plain(first.show.clone(), kind, Some(first))).collect();
        all.extend(more);
    }
    Ok(all)
}

/// A mask whose rim is no staircase: weighed over five nodes each way, and at each node on its own side of a half.
fn smooth(mask: &[bool], [width, height]: [u32; 2]) -> Vec<f32> {
    const WEIGHTS: [f32; 5] = [1.0, 4.0, 6.0, 4.0, 1.0];
    let along = |values: &[f32], across: [i64; 2]| -> Vec<f32> {
        let (width, height) = (i64::from(width), i64::from(height));
        let at = |x: i64, y: i64| values[(y.clamp(0, height - 1) * width + x.clamp(0, width - 1)) as usize];
        let sum = |(x, y): (i64, i64)| {
            let parts = (-2i64..).zip(WEIGHTS);
            parts.map(|(by, weight)| weight / 16.0 * at(x + by * across[0], y + by * across[1])).sum()
        };
        (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(sum).collect()
    };
    let hard: Vec<f32> = mask.iter().map(|inside| f32::from(u8::from(*inside))).collect();
    let soft = along(&along(&hard, [1, 0]), [0, 1]);
    let kept = |(soft, inside): (&f32, &bool)| if *inside { soft.max(0.55) } else { soft.min(0.45) };
    soft.iter().zip(mask).map(kept).collect()
}

/// The numbers of a line at moments, one row each: a ring.
struct History {
    rows: Buffer,
    /// The row of the newest moment, and how many there are.
    row: u32,
    filled: u32,
    /// Steps between two rows.
    every: u64,
    /// The step of the newest row.
    since: u64,
}

/// How equations are looked at.
pub struct View {
    all: Vec<Chosen>,
    at: usize,
    /// The drawing of a run that draws.
    nodes: Option<Nodes>,
    shown: Shown,
    arrows: Option<[Shown; 2]>,
    /// The numbers that were prepared.
    values: Option<Buffer>,
    along: Option<[Buffer; 2]>,
    inside: Option<Buffer>,
    colours: String,
    surface: Option<(HeightField, Buffer)>,
    camera: Camera,
    relief: f32,
    history: Option<History>,
    pub(super) colouring: Colouring,
    nodes_size: [u32; 2],
    is_line: bool,
    size: Option<[u32; 2]>,
    brush: Brush,
    gpu: Gpu,
}

impl View {
    /// The view of that number, from 0, of a run that draws or of one that does not; pictures for files have `size`, if it is said.
    ///
    /// # Errors
    /// No such view; one that makes no sense; those of its kernels.
    pub fn new(
        gpu: &Gpu,
        simulation: &Simulation,
        at: usize,
        draws: bool,
        size: Option<[u32; 2]>,
    ) -> Result<View> {
        let equations = simulation.equations();
        let all = all(equations, simulation)?;
        ensure!(at < all.len(), "--view {}: there are {}", at + 1, all.len());
        let grid = &equations.grid;
        let inside = match &grid.mask {
            None => None,
            Some(mask) => {
                Some(gpu.buffer(grid.size[0], grid.size[1]).named("inside").init(&smooth(mask, grid.size))?)
            }
        };
        let first = &all[at];
        let colours = first.colours.clone();
        let nodes = match draws {
            true => Some(Nodes::new(gpu, &named_colours(&colours)?)?),
            false => None,
        };
        let shown = simulation.shown(&first.show)?;
        let [width, height] = grid.size;
        let shorter = if grid.dimensions == 1 { width } else { width.min(height) };
        let mut view = View {
            all,
            at,
            nodes,
            shown,
            arrows: None,
            values: None,
            along: None,
            inside,
            colours,
            surface: None,
            camera: Camera::default(),
            relief: HeightField::RELIEF,
            history: None,
            colouring: Colouring::new(gpu),
            nodes_size: grid.size,
            is_line: grid.dimensions == 1,
            size,
            brush: Brush::new((shorter as f32 / 24.0).max(1.5)),
            gpu: gpu.clone(),
        };
        view.begin(simulation)?;
        Ok(view)
    }

    /// The views.
    pub fn titles(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|view| view.title.as_str())
    }

    /// The one that is shown, from 0.
    pub fn at(&self) -> usize {
        self.at
    }

    pub fn chosen(&self) -> &Chosen {
        &self.all[self.at]
    }

    /// Returns true if the file says its range.
    pub fn has_range(&self) -> bool {
        self.all[self.at].range.is_some()
    }

    /// Shows another one.
    ///
    /// # Errors
    /// No such colours; those of its kernels.
    pub fn choose(&mut self, at: usize, simulation: &Simulation) -> Result<()> {
        let at = at.min(self.all.len().saturating_sub(1));
        let shades = named_colours(&self.all[at].colours)?;
        self.shown = simulation.shown(&self.all[at].show)?;
        self.at = at;
        self.colours.clone_from(&self.all[at].colours);
        if let Some(nodes) = &self.nodes {
            nodes.set_colours(&shades)?;
        }
        self.begin(simulation)
    }

    /// Forgets what was seen before: of another view, or before a beginning.
    ///
    /// # Errors
    /// Those of buffers and programs.
    pub fn begin(&mut self, simulation: &Simulation) -> Result<()> {
        let view = &self.all[self.at];
        self.values = None;
        self.colouring.begin(view.range.is_some());
        self.colouring.begin_with_arrows(view.arrows.is_some());
        self.arrows = match &view.arrows {
            Some([a, b]) if self.nodes.is_some() => Some([simulation.shown(a)?, simulation.shown(b)?]),
            _ => None,
        };
        self.surface = match view.kind {
            Show::Surface if self.nodes.is_some() => {
                let [width, height] = self.nodes_size;
                Some((HeightField::new(&self.gpu)?, self.gpu.buffer(width, height).named("heights").build()?))
            }
            _ => None,
        };
        self.history = None;
        let rows = self.rows();
        let steps = simulation.equations().run.until / simulation.time_step();
        let every = if steps.is_finite() { (steps / f64::from(rows)).ceil().max(1.0) as u64 } else { 10 };
        self.moments_of(rows, every, simulation)
    }

    /// A line is kept every so many steps of that many; its picture over time has a row for each.
    ///
    /// # Errors
    /// Those of buffers.
    pub fn keep(&mut self, every: u64, steps: u64, simulation: &Simulation) -> Result<()> {
        self.moments_of((steps.div_ceil(every) + 1).min(MOST_ROWS) as u32, every, simulation)
    }

    fn moments_of(&mut self, rows: u32, every: u64, simulation: &Simulation) -> Result<()> {
        if let Some(nodes) = self.nodes.as_mut().filter(|_| self.is_line) {
            let none = vec![f32::NAN; (self.nodes_size[0] * rows) as usize];
            let rows = self.gpu.buffer(self.nodes_size[0], rows).edges(Edges::Repeat);
            let rows = rows.named("moments").init(&none)?;
            nodes.keep_row(simulation.show(&mut self.shown)?, &rows, 0)?;
            self.history = Some(History { rows, row: 0, filled: 1, every, since: simulation.count() });
        }
        Ok(())
    }

    /// Rows of a line over time.
    fn rows(&self) -> u32 {
        (self.nodes_size[0] as f32 * 0.62).round().clamp(64.0, 1024.0) as u32
    }

    /// A step was made: a line that is due is kept.
    ///
    /// # Errors
    /// Those of passes.
    pub fn stepped(&mut self, simulation: &Simulation) -> Result<()> {
        let Some(history) = &mut self.history else { return Ok(()) };
        if simulation.count() < history.since + history.every {
            return Ok(());
        }
        history.row = (history.row + 1) % history.rows.height();
        history.filled = (history.filled + 1).min(history.rows.height());
        history.since = simulation.count();
        let values = simulation.show(&mut self.shown)?;
        if let Some(nodes) = &mut self.nodes {
            nodes.keep_row(values, &history.rows, history.row)?;
        }
        Ok(())
    }

    /// Draws the numbers that the picture shows.
    ///
    /// # Errors
    /// Those of passes.
    pub fn prepare(&mut self, simulation: &Simulation) -> Result<()> {
        let Some(nodes) = &mut self.nodes else { return Ok(()) };
        let values = simulation.show(&mut self.shown)?.clone();
        if let Some(history) = &self.history {
            nodes.keep_row(&values, &history.rows, history.row)?;
        }
        self.along = match &mut self.arrows {
            Some([a, b]) if self.colouring.has_arrows() => {
                Some([simulation.show(a)?.clone(), simulation.show(b)?.clone()])
            }
            _ => None,
        };
        self.colouring.look(&values, MAGNITUDE)?;
        let ends = self.ends();
        if let (Some((_, heights)), Some(nodes)) = (&self.surface, &mut self.nodes) {
            nodes.heights(&values, ends, heights)?;
        }
        self.values = Some(values);
        Ok(())
    }

    /// True if numbers are colours, and not heights.
    fn is_colours(&self) -> bool {
        self.all[self.at].kind == Show::Colour
    }

    /// The numbers of the first and of the last colour.
    pub fn ends(&self) -> [f32; 2] {
        self.colouring.ends(self.own_ends())
    }

    /// Those of the file.
    fn own_ends(&self) -> [f32; 2] {
        self.all[self.at].range.unwrap_or([0.0, 1.0])
    }

    /// The picture for a file: a pixel a node or a moment, or as many as were asked for, filled by the middle of the domain.
    ///
    /// # Errors
    /// The run does not draw; those of passes.
    pub fn image(&mut self, simulation: &Simulation) -> Result<Image> {
        self.colouring.renew();
        self.prepare(simulation)?;
        EquationPicture { view: self }.image()
    }

    fn colours_of<'a>(&'a self, values: &'a Buffer) -> NodeColours<'a> {
        NodeColours {
            values,
            inside: self.inside.as_ref(),
            ends: self.ends(),
            missing: MISSING,
            cyclic: palette::is_cyclic(&self.colours),
            tones: self.colouring.tones(),
            contours: &self.all[self.at].contours,
            arrows: self.along.as_ref().map(|[along, up]| [along, up]),
            ring: None,
        }
    }

    /// A line over time as colours, the oldest row on top.
    fn moments<'a>(&'a self, history: &'a History) -> NodeColours<'a> {
        let ring = Some(history.first());
        NodeColours { inside: None, arrows: None, contours: &[], ring, ..self.colours_of(&history.rows) }
    }

    fn curve<'a>(&'a self, history: &'a History) -> NodeCurve<'a> {
        let apart = (history.filled / (EARLIER + 1)).max(1);
        NodeCurve { rows: &history.rows, row: history.row, earlier: EARLIER, apart, ends: self.ends() }
    }
}

impl History {
    /// The oldest row.
    fn first(&self) -> u32 {
        let rows = self.rows.height();
        if self.filled < rows { 0 } else { (self.row + 1) % rows }
    }
}

/// Equations as they are looked at.
pub struct EquationPicture<'a> {
    pub view: &'a mut View,
}

impl Picture for EquationPicture<'_> {
    /// A pixel a node, or as many as were asked for, filled by the middle of the domain.
    fn image(&mut self) -> Result<Image> {
        let view = &mut *self.view;
        let kind = view.all[view.at].kind;
        let usual = match (&view.history, kind) {
            (Some(history), Show::Colour) => [view.nodes_size[0], history.rows.height()],
            (None, Show::Colour) => view.nodes_size,
            _ => SIZE,
        };
        let [width, height] = view.size.unwrap_or(usual);
        let mut nodes = view.nodes.take();
        let rgba = match &mut nodes {
            None => Err(anyhow::anyhow!("a picture that nobody asked for")),
            Some(nodes) => view.painted(nodes, [width, height]),
        };
        view.nodes = nodes;
        Ok(Image { width, height, rgba: rgba? })
    }

    fn draw(&mut self, place: Rect) -> Result<()> {
        let view = &mut *self.view;
        if let Some((surface, heights)) = &mut view.surface {
            surface.set_relief(view.relief)?;
            return Ok(surface.draw(heights, &view.camera, None, place)?);
        }
        let Some(mut nodes) = view.nodes.take() else { return Ok(()) };
        let drawn = match (&view.history, view.all[view.at].kind) {
            (Some(history), Show::Colour) => nodes.draw(&view.moments(history), None, place),
            (Some(history), _) => nodes.draw_curve(&view.curve(history), None, place),
            (None, _) => match &view.values {
                Some(values) => nodes.draw(&view.colours_of(values), None, place),
                None => Ok(()),
            },
        };
        view.nodes = Some(nodes);
        Ok(drawn?)
    }

    fn layout(&self, aspect: f64) -> Result<Layout> {
        let View { nodes_size: [columns, rows], camera, surface, is_line, .. } = &*self.view;
        let rows = if *is_line { self.view.rows() } else { *rows };
        let columns = *columns;
        if surface.is_some()
            && let Ok(perspective) = Perspective::new(camera, columns, rows, aspect)
        {
            return Ok(Layout::Water { columns, rows, perspective });
        }
        Ok(Layout::Map { columns, rows })
    }

    fn camera(&mut self) -> Option<&mut Camera> {
        let View { surface, camera, .. } = &mut *self.view;
        surface.as_ref().map(|_| camera)
    }

    fn numbers(&self) -> Option<Numbers<'_>> {
        let view = &*self.view;
        let over_time = view.history.as_ref().filter(|_| view.all[view.at].kind == Show::Colour);
        let colours = if view.surface.is_some() { None } else { named_colours(&view.colours).ok() };
        let source = match over_time.map(|history| &history.rows).or(view.values.as_ref()) {
            Some(buffer) => {
                Source::Weighed { buffer, channels: [1.0, 0.0, 0.0, 0.0], north_up: !view.is_line }
            }
            None => Source::Unread,
        };
        // A curve has heights.
        let tones = if view.is_colours() { view.colouring.tones() } else { Tones::default() };
        Some(Numbers { source, ends: view.ends(), tones, colours, unit: Unit::NONE })
    }

    fn texel(&self, [x, y]: [u32; 2]) -> [u32; 2] {
        let view = &*self.view;
        match &view.history {
            None => [x, y],
            Some(history) if view.all[view.at].kind == Show::Colour => {
                [x, (history.first() + y) % history.rows.height()]
            }
            Some(_) => [x, 0],
        }
    }

    fn brush(&mut self) -> Option<&mut Brush> {
        Some(&mut self.view.brush)
    }

    #[cfg(feature = "panel")]
    fn view_widgets(&mut self, ui: &mut egui::Ui) {
        if self.view.surface.is_some() {
            let View { camera, relief, .. } = &mut *self.view;
            let relief = egui::Slider::new(relief, 0.005..=0.5).logarithmic(true).text("relief");
            crate::picture::camera_widgets(ui, camera, |_| {}, |ui| _ = ui.add(relief));
        }
    }

    /// The colours.
    #[cfg(feature = "panel")]
    fn widgets(&mut self, ui: &mut egui::Ui) -> Result<()> {
        let (own, shown) = (self.view.own_ends(), &self.view.all[self.view.at]);
        let (in_colours, arrows) = (self.view.is_colours(), shown.arrows.is_some());
        let switches = Switches {
            automatic: true,
            logarithmic: in_colours,
            smooth: false,
            lines: in_colours,
            arrows,
            streamlines: false,
        };
        let View { colouring, colours, surface, nodes, .. } = &mut *self.view;
        let colours = surface.is_none().then_some(colours);
        if let (Some(shades), Some(nodes)) =
            (colouring.widgets(ui, colours, Some(own), Unit::NONE, switches), nodes)
        {
            nodes.set_colours(&shades)?;
        }
        Ok(())
    }
}

impl View {
    fn painted(&mut self, nodes: &mut Nodes, size: [u32; 2]) -> Result<Vec<u8>> {
        let [width, height] = size;
        if let Some((surface, heights)) = &mut self.surface {
            surface.set_relief(self.relief)?;
            return Ok(surface.picture(heights, &self.camera, width, height)?);
        }
        Ok(match (&self.history, self.all[self.at].kind) {
            (Some(history), Show::Colour) => nodes.picture(&self.moments(history), size)?,
            (Some(history), _) => nodes.curve_picture(&self.curve(history), size)?,
            (None, _) => match &self.values {
                Some(values) => nodes.picture(&self.colours_of(values), size)?,
                None => anyhow::bail!("nothing was prepared"),
            },
        })
    }

    /// The value that a place of a curve's picture stands for: row `y` of [`Layout::Map`].
    pub fn value_at(&self, y: f32) -> Option<f32> {
        let [low, high] = self.ends();
        let is_curve = self.is_line && self.all[self.at].kind != Show::Colour;
        // The picture keeps a margin above and below the ends.
        let share = (1.0 - y / self.rows() as f32 - 0.06) / 0.88;
        is_curve.then_some(low + share * (high - low))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rim of a disc, where the smooth mask is a half along a row: nearer to the circle than half a node, as the staircase is not.
    #[test]
    fn the_rim_of_a_smooth_mask_is_near_its_circle_and_nodes_keep_their_side() {
        let (side, radius) = (41u32, 15.3f32);
        let off = |x: u32, y: u32| (x as f32 - 20.0).hypot(y as f32 - 20.0);
        let mask: Vec<bool> = (0..side * side).map(|node| off(node % side, node / side) < radius).collect();
        let soft = smooth(&mask, [side; 2]);
        assert!(soft.iter().zip(&mask).all(|(soft, inside)| (*soft > 0.5) == *inside));
        let mut most = [0.0f32; 2];
        for y in 10..=30 {
            let row = |values: &dyn Fn(usize) -> f32| {
                let last = (0..side).rfind(|x| mask[(y * side + x) as usize]).unwrap_or(0);
                let at = (y * side + last) as usize;
                let (low, high) = (values(at), values(at + 1));
                last as f32 + (low - 0.5) / (low - high)
            };
            let rim = 20.0 + (radius * radius - (y as f32 - 20.0).powi(2)).sqrt();
            let found = [row(&|at| soft[at]), row(&|at| f32::from(u8::from(mask[at])))];
            most = [0, 1].map(|n| most[n].max((found[n] - rim).abs()));
        }
        assert!(most[0] < 0.4 && most[1] > 0.45, "{most:?}");
        // A wall of one node stays.
        let wall: Vec<bool> = (0..81).map(|node| node % 9 != 4).collect();
        assert!(smooth(&wall, [9, 9])[4] < 0.5);
    }
}
