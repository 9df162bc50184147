//! A file that was read and checked: a grid, parameters, fields with their formulas, and what is shown of them.

use super::formula::Formula;
use crate::script::{Fault, Span};

/// Equations, their grid, and what is shown of them.
#[derive(Debug)]
pub struct Equations {
    /// The nodes.
    pub grid: Grid,
    /// Numbers that can be changed while the equations run; a `Parameter` of a formula is a place in this list.
    pub parameters: Vec<Parameter>,
    /// Values of them by name.
    pub presets: Vec<Preset>,
    /// Formulas by name.
    pub lets: Vec<Named>,
    /// 1 to 4 fields that step in time.
    pub fields: Vec<Field>,
    /// Fields that are formulas of the others, in the order in which they are computed.
    pub auxiliaries: Vec<Auxiliary>,
    /// Integrals and means.
    pub totals: Vec<Total>,
    /// Arrays and pictures.
    pub images: Vec<Image>,
    /// The scheme, its step and its end.
    pub run: Run,
    /// The right sides of an implicit scheme, in two halves.
    pub split: Option<Split>,
    /// The reason for the scheme, where the file left the choice.
    pub choice: Option<String>,
    /// Pictures, in the order of the file.
    pub views: Vec<View>,
    /// Numbers that are written down over time.
    pub probes: Vec<Probe>,
    /// Likely slips, a line each: names that no formula has, fields without a start.
    pub remarks: Vec<String>,
}

/// Fields and auxiliary fields of J whose edges are of one kind, and which have one D.
#[derive(Clone, Debug, PartialEq)]
pub struct Alike {
    /// Numbers of fields.
    pub fields: Vec<usize>,
    /// Numbers of auxiliary fields, among those of J.
    pub auxiliaries: Vec<usize>,
}

/// Right sides as J u + S + N.
#[derive(Debug)]
pub struct Split {
    /// J u of each field.
    pub linear: Vec<Formula>,
    /// S of each field: terms without fields that change with t.
    pub sources: Vec<Option<Formula>>,
    /// N of each field.
    pub explicit: Vec<Option<Formula>>,
    /// Fields whose integral stays.
    pub conserves: Vec<bool>,
    /// D of div(D*grad(w)), which stands in the place of ∇²w in all rows: of each field, then of each auxiliary field of J.
    pub conductivities: Vec<Option<Formula>>,
    /// Groups of one kind of edges and one D each. Where groups depend on each other in J, one system joins them.
    pub groups: Vec<Alike>,
    /// True if groups depend on each other in J.
    pub joined: bool,
    /// True if edges that hold values hold others at other times.
    pub moving_values: bool,
    /// True if S or the data of edges change with t.
    pub moving: bool,
    /// Coefficients of J, row after row: fields, then auxiliary fields.
    pub(super) constant: Vec<Option<Formula>>,
    pub(super) lap: Vec<Option<Formula>>,
    /// Auxiliary fields of J: their numbers, and those of their linear parts.
    pub(super) columns: Vec<(usize, usize)>,
}

/// Nodes on a rectangle or a line. Along a periodic axis N nodes lie L/N apart; along others a node lies on each end, and
/// they lie L/(N − 1) apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Nodes along x and y; a line has 1 along y.
    pub size: [u32; 2],
    /// 1 for a line, 2 for a rectangle.
    pub dimensions: usize,
    /// Lx and Ly; Ly = 1 of a line.
    pub length: [f64; 2],
    /// Coordinates of the first node.
    pub origin: [f64; 2],
    /// hx and hy; hy = 1 of a line.
    pub cell: [f64; 2],
    /// Axes along which the domain is a ring.
    pub periodic: [bool; 2],
    /// Nodes that belong to the domain, row after row; `None` for all.
    pub mask: Option<Vec<bool>>,
}

impl Grid {
    /// Nodes of the whole rectangle.
    pub fn nodes(&self) -> usize {
        self.size[0] as usize * self.size[1] as usize
    }

    /// Coordinates of a node.
    pub fn place(&self, node: usize) -> [f64; 2] {
        let width = self.size[0] as usize;
        [
            self.origin[0] + (node % width) as f64 * self.cell[0],
            self.origin[1] + (node / width) as f64 * self.cell[1],
        ]
    }

    /// The area of a node's cell, 0 outside the mask: a half at edges, a quarter at corners.
    pub fn area(&self, node: usize) -> f64 {
        if self.mask.as_ref().is_some_and(|mask| !mask[node]) {
            return 0.0;
        }
        let at = [node % self.size[0] as usize, node / self.size[0] as usize];
        let mut area = 1.0;
        for (axis, at) in at.into_iter().enumerate().take(self.dimensions) {
            let half = !self.periodic[axis] && [0, self.size[axis] as usize - 1].contains(&at);
            area *= self.cell[axis] * if half { 0.5 } else { 1.0 };
        }
        area
    }

    /// The area of the domain.
    pub fn whole(&self) -> f64 {
        (0..self.nodes()).map(|node| self.area(node)).sum()
    }
}

/// A number that can be changed while the equations run.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The name in the file.
    pub name: String,
    /// The place of its name in the file.
    pub span: Span,
    /// The value that it begins with.
    pub value: f64,
    /// The ends of its slider.
    pub range: Option<[f64; 2]>,
}

/// Values of parameters that lead to something that has a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Preset {
    /// The name in the file.
    pub name: String,
    /// Numbers of parameters, and their values; all others stay.
    pub values: Vec<(usize, f64)>,
}

/// A formula by name.
#[derive(Clone, Debug)]
pub struct Named {
    /// The name in the file.
    pub name: String,
    /// The formula that the name stands for.
    pub formula: Formula,
}

/// A field that steps in time.
#[derive(Debug)]
pub struct Field {
    /// The name in the file.
    pub name: String,
    /// ∂u/∂t.
    pub dt: Formula,
    /// u at the start; 0 where it is not said. It may hold `random`, arrays and pictures.
    pub start: Option<Formula>,
    /// left, right, bottom, top.
    pub edges: [Edge; 4],
    /// The rule at the nodes outside the mask.
    pub mask: Edge,
    /// The amplitude of white noise.
    pub noise: Option<Formula>,
    /// The solution, if it is known.
    pub exact: Option<Formula>,
}

/// A field that is a formula of the others.
#[derive(Debug)]
pub struct Auxiliary {
    /// Its name in the file, or `None` of an operator's argument that has an operator.
    pub name: Option<String>,
    /// The formula, of fields and of auxiliary fields before it.
    pub is: Formula,
    /// The rules that its derivatives take at left, right, bottom and top.
    pub edges: [Edge; 4],
    /// The rule at the nodes outside the mask.
    pub mask: Edge,
    /// S of a field: S u stands in the implicit part in the place of this field's own undifferentiated u.
    pub stabilise: Vec<(usize, Formula)>,
    /// It needs auxiliary fields and totals of lower levels; from 1.
    pub level: usize,
}

/// An integral over the domain, or a mean.
#[derive(Debug)]
pub struct Total {
    /// The integrand.
    pub of: Formula,
    /// True for `mean`: the integral over the area.
    pub mean: bool,
    /// The level, counted with those of auxiliary fields: totals of a level are computed after its auxiliary fields.
    pub level: usize,
}

/// The rule at an edge; n points outward.
#[derive(Clone, Debug)]
pub enum Edge {
    /// The domain is a ring: both edges of the axis are `Periodic`.
    Periodic,
    /// u = value.
    Value(Formula),
    /// ∂u/∂n + b u = g; `None` stands for 0.
    Flux {
        /// b of a Robin condition.
        robin: Option<Formula>,
        /// g, the derivative outward where b = 0.
        constant: Option<Formula>,
    },
}

impl Edge {
    /// Returns true if nothing flows through it.
    pub fn is_closed(&self) -> bool {
        matches!(self, Edge::Flux { robin: None, constant: None })
    }
}

/// Values of an array or a picture at the nodes, row after row from the smallest y.
#[derive(Debug)]
pub struct Image {
    /// The name of the file, as the formula says it.
    pub name: String,
    /// One value a node, W·H of them.
    pub values: Vec<f32>,
}

/// The time scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Euler's: u + Δt f(u). Of order 1, explicit.
    Euler,
    /// Adams–Bashforth: u + Δt (3/2 f(u) − 1/2 f(u before)). Of order 2, explicit; its first step is Euler's.
    Ab2,
    /// The classic one of Runge and Kutta. Of order 4, explicit, four evaluations of f a step.
    Rk4,
    /// Euler's, J u at the end of the step and N at its beginning. Of order 1.
    ImexEuler,
    /// Crank–Nicolson for J u, Adams–Bashforth for N. Of order 2; hardly damps the shortest waves.
    Cnab2,
    /// Backward differentiation of two steps, N extrapolated. Of order 2; damps the shortest waves.
    Sbdf2,
    /// Crank–Nicolson for all: of equations that are linear. Of order 2, keeps energies.
    Cn,
    /// [`Scheme::Ab2`] where the step is below 0.4 of its limit, [`Scheme::Rk4`] where waves are not damped and the step is within its limit, else
    /// [`Scheme::Sbdf2`]. [`Equations::read`] leaves none of it.
    Auto,
}

impl Scheme {
    /// All of them by name.
    pub const ALL: &'static [(&'static str, Scheme)] = &[
        ("euler", Scheme::Euler),
        ("ab2", Scheme::Ab2),
        ("rk4", Scheme::Rk4),
        ("imex-euler", Scheme::ImexEuler),
        ("cnab2", Scheme::Cnab2),
        ("sbdf2", Scheme::Sbdf2),
        ("cn", Scheme::Cn),
        ("auto", Scheme::Auto),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Scheme::ALL.iter().find(|(_, scheme)| *scheme == self).map_or("", |(name, _)| name)
    }

    /// The scheme of that name.
    pub fn named(name: &str) -> Option<Scheme> {
        Scheme::ALL.iter().find(|(known, _)| *known == name).map(|(_, scheme)| *scheme)
    }

    /// A line about it for somebody who knows no scheme by its name.
    pub fn gloss(self) -> &'static str {
        match self {
            Scheme::Euler => "Euler: explicit, of order 1; the simplest, for short steps",
            Scheme::Ab2 => "Adams-Bashforth: explicit, of order 2; a pass a step, for short steps",
            Scheme::Rk4 => "Runge-Kutta: explicit, of order 4; for waves, and where accuracy counts",
            Scheme::ImexEuler => "Euler, diffusion implicit: of order 1; long steps, the most robust",
            Scheme::Cnab2 => {
                "Crank-Nicolson and Adams-Bashforth: diffusion implicit, of order 2; keeps short waves alive"
            }
            Scheme::Sbdf2 => {
                "Backward differentiation: diffusion implicit, of order 2; long steps, damps short waves"
            }
            Scheme::Cn => "Crank-Nicolson: all implicit, of order 2; for linear equations, keeps energies",
            Scheme::Auto => "the program chooses ab2, rk4 or sbdf2 by the longest stable step",
        }
    }

    /// Returns true if a step needs no linear system.
    pub fn is_explicit(self) -> bool {
        matches!(self, Scheme::Euler | Scheme::Ab2 | Scheme::Rk4)
    }
}

/// The value at a face that `adv` carries through it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Advection {
    /// The mean of both sides.
    #[default]
    Central,
    /// The value of the side that it comes from.
    Upwind,
    /// The same with a limited slope.
    Minmod,
}

impl Advection {
    /// All of them by name.
    pub const ALL: &'static [(&'static str, Advection)] =
        &[("central", Advection::Central), ("upwind", Advection::Upwind), ("minmod", Advection::Minmod)];

    /// Its name.
    pub fn name(self) -> &'static str {
        Advection::ALL.iter().find(|(_, way)| *way == self).map_or("", |(name, _)| name)
    }
}

/// The settings of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The scheme; never [`Scheme::Auto`] after [`Equations::read`].
    pub scheme: Scheme,
    /// Δt.
    pub step: f64,
    /// The time at which it ends.
    pub until: f64,
    /// A window begins it anew then, until somebody paints or changes something.
    pub repeat: bool,
    /// The tolerance of an implicit step, relative to its right side.
    pub tolerance: Option<f64>,
    /// The value at a face that `adv` takes.
    pub advection: Advection,
    /// `none` or `all` terms in the implicit part.
    pub implicit: Option<String>,
    /// The seed of `random`, `normal` and `noise`: the same seed gives the same run.
    pub seed: u64,
}

/// A way of drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Show {
    /// Colours of a map; of a line, one row for each moment.
    #[default]
    Colour,
    /// A curve over x.
    Line,
    /// A lit surface.
    Surface,
}

impl Show {
    /// All of them by name.
    pub const ALL: &'static [(&'static str, Show)] =
        &[("colour", Show::Colour), ("line", Show::Line), ("surface", Show::Surface)];
}

/// A picture of a formula.
#[derive(Debug)]
pub struct View {
    /// The values that are drawn.
    pub show: Formula,
    /// The way of drawing.
    pub kind: Show,
    /// The name of a colour map.
    pub colours: Option<String>,
    /// Values of the first and the last colour; by default those of the values.
    pub range: Option<[f64; 2]>,
    /// Values at which lines are drawn.
    pub contours: Vec<f64>,
    /// A vector field drawn over it.
    pub arrows: Option<[Formula; 2]>,
}

/// A number that is written down over time.
#[derive(Debug)]
pub struct Probe {
    /// The name in the file.
    pub name: String,
    /// The formula whose value it is.
    pub show: Formula,
    /// The node whose value it is, unless it is the same everywhere.
    pub node: Option<usize>,
}

/// Values that take the place of those in the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// Values of parameters.
    pub set: Vec<(String, f64)>,
    /// Nodes along x and y.
    pub size: Option<[u32; 2]>,
    /// Δt.
    pub step: Option<f64>,
    /// The time at which the run ends.
    pub until: Option<f64>,
    /// The scheme.
    pub scheme: Option<Scheme>,
    /// The seed.
    pub seed: Option<u64>,
}

/// The reason why a file is refused.
#[derive(Debug, PartialEq)]
pub enum Refusal {
    /// A mistake in the file.
    Fault(Fault),
    /// An override that does not fit it.
    Override(String),
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Refusal {
        Refusal::Fault(fault)
    }
}

/// The source of arrays and pictures.
pub trait Files {
    /// Shades of grey from 0 to 1, row 0 on top, of such a size.
    ///
    /// # Errors
    /// One line: no such picture, or another size.
    fn picture(&mut self, name: &str, size: [u32; 2]) -> Result<Vec<f32>, String>;

    /// An array of height x width numbers, or of width.
    ///
    /// # Errors
    /// One line: no such array, or another shape.
    fn array(&mut self, name: &str, size: [u32; 2]) -> Result<Vec<f32>, String>;
}

/// No files at all.
pub struct NoFiles;

impl Files for NoFiles {
    fn picture(&mut self, name: &str, _size: [u32; 2]) -> Result<Vec<f32>, String> {
        Err(format!("{name}: there are no files here"))
    }

    fn array(&mut self, name: &str, size: [u32; 2]) -> Result<Vec<f32>, String> {
        self.picture(name, size)
    }
}

impl Equations {
    /// The number of that parameter.
    pub fn parameter(&self, name: &str) -> Option<usize> {
        self.parameters.iter().position(|parameter| parameter.name == name)
    }

    /// The values of all parameters.
    pub fn values(&self) -> Vec<f64> {
        self.parameters.iter().map(|parameter| parameter.value).collect()
    }

    /// Options of implicit schemes that are said and that an explicit scheme takes no notice of.
    pub fn unused(&self) -> Vec<&'static str> {
        if !self.run.scheme.is_explicit() {
            return Vec::new();
        }
        let stabilise = self.auxiliaries.iter().any(|auxiliary| !auxiliary.stabilise.is_empty());
        [
            ("tolerance", self.run.tolerance.is_some()),
            ("implicit", self.run.implicit.is_some()),
            ("stabilise", stabilise),
        ]
        .into_iter()
        .filter(|(_, is_said)| *is_said)
        .map(|(name, _)| name)
        .collect()
    }

    /// The highest level of auxiliary fields and totals; 0 if there are none.
    pub fn levels(&self) -> usize {
        let auxiliary = self.auxiliaries.iter().map(|auxiliary| auxiliary.level);
        auxiliary.chain(self.totals.iter().map(|total| total.level)).max().unwrap_or(0)
    }
}
