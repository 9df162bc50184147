//! Formulas as kernels: one text for the right sides, and one for each level of auxiliary fields and integrals before it.
//!
//! Parameters are constants of the kernel, numbers of the grid stand in its text. Values beside a node are fetched once and by
//! constant offsets; beyond an edge they are made of those before it, so that a cell at an edge is balanced as half a cell.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use super::equations::{Advection, Edge, Equations};
use super::formula::{Axis, Formula, Function, Node, Term};
use super::{Scheme, Sign, Split};

/// The purpose of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// The auxiliary fields of a level, by their numbers.
    Auxiliaries(usize, Vec<usize>),
    /// The integrands of a level, weighted by the areas of cells.
    Totals(usize, Vec<usize>),
    /// A step of a scheme, or a stage of one; of an implicit scheme R and N.
    Step,
    /// The state with the values that edges hold at the end of the step.
    Held,
    /// The values of a formula.
    Show,
}

/// A generated kernel.
#[derive(Clone, Debug)]
pub struct KernelText {
    /// Its purpose.
    pub role: Role,
    /// A name for its file.
    pub name: String,
    /// The kernel, as [`Gpu::program`](crate::Gpu::program) takes it.
    pub text: String,
    /// Numbers of the parameters that it takes.
    pub parameters: Vec<usize>,
    /// Streams that it reads.
    pub streams: Vec<String>,
    /// Constants besides the parameters.
    pub constants: Vec<&'static str>,
    /// Fetches of a texel.
    pub fetches: u32,
}

/// The kernels of a step, in the order in which they run. Those of an implicit scheme end with R and N, of which the solver makes the step.
pub fn kernels(equations: &Equations, scheme: Scheme) -> Vec<KernelText> {
    if let Some(split) = equations.split.as_ref().filter(|_| !scheme.is_explicit()) {
        return implicit(equations, split, scheme);
    }
    let rates: Vec<&Formula> = equations.fields.iter().map(|field| &field.dt).collect();
    let noises = equations.fields.iter().filter_map(|field| field.noise.as_ref());
    let mut all = before(equations, &rates.into_iter().chain(noises).collect::<Vec<_>>());
    all.push(step(equations, scheme));
    all
}

/// The kernels that compute a formula, and those that it needs.
pub(super) fn showing(equations: &Equations, formula: &Formula) -> Vec<KernelText> {
    let mut all = before(equations, &[formula]);
    let mut writer = Writer::new(equations);
    let value = writer.expression(formula, HERE);
    writer.line(format!("shown = {value};"));
    all.push(writer.finish(Role::Show, "show.frag".into(), "RANGE float shown;", "the values of a formula"));
    all
}

/// The auxiliary fields and totals that formulas need, by levels.
fn before(equations: &Equations, formulas: &[&Formula]) -> Vec<KernelText> {
    let mut needed = (BTreeSet::new(), BTreeSet::new());
    fn need(equations: &Equations, formula: &Formula, needed: &mut (BTreeSet<usize>, BTreeSet<usize>)) {
        let mut found = Vec::new();
        formula.visit(&mut |node| match node.term {
            Term::Auxiliary(at) if needed.0.insert(at) => found.push(&equations.auxiliaries[at].is),
            Term::Total(at) if needed.1.insert(at) => found.push(&equations.totals[at].of),
            _ => {}
        });
        found.into_iter().for_each(|formula| need(equations, formula, needed));
    }
    formulas.iter().for_each(|formula| need(equations, formula, &mut needed));
    let mut all = Vec::new();
    for level in 1..=equations.levels() {
        let own: Vec<usize> =
            (0..equations.auxiliaries.len()).filter(|at| equations.auxiliaries[*at].level == level).collect();
        if own.iter().any(|at| needed.0.contains(at)) {
            all.push(auxiliary(equations, level, own));
        }
        for (part, own) in totals_of(equations, level).chunks(4).enumerate() {
            if own.iter().any(|at| needed.1.contains(at)) {
                all.push(totals(equations, level, part, own.to_vec()));
            }
        }
    }
    all
}

/// The totals of a level: four of them are summed at once.
fn totals_of(equations: &Equations, level: usize) -> Vec<usize> {
    (0..equations.totals.len()).filter(|at| equations.totals[*at].level == level).collect()
}

fn auxiliary(equations: &Equations, level: usize, own: Vec<usize>) -> KernelText {
    let mut writer = Writer::new(equations);
    let vector = vector(own.len());
    let values: Vec<String> =
        own.iter().map(|at| writer.expression(&equations.auxiliaries[*at].is, HERE)).collect();
    writer.line(format!("next = {vector}({});", values.join(", ")));
    for (component, at) in own.iter().enumerate() {
        let auxiliary = &equations.auxiliaries[*at];
        let target = format!("next{}", part(component, own.len()));
        writer.hold(&auxiliary.edges, &auxiliary.mask, "t", |value| vec![format!("{target} = {value};")]);
    }
    let names: Vec<String> = own.iter().map(|at| auxiliary_name(equations, *at)).collect();
    let what = format!("the auxiliary fields {}", names.join(", "));
    writer.finish(
        Role::Auxiliaries(level, own),
        format!("auxiliary{level}.frag"),
        &format!("RANGE {vector} next;"),
        &what,
    )
}

fn totals(equations: &Equations, level: usize, part_of: usize, own: Vec<usize>) -> KernelText {
    let mut writer = Writer::new(equations);
    let vector = vector(own.len());
    let values: Vec<String> =
        own.iter().map(|at| writer.expression(&equations.totals[*at].of, HERE)).collect();
    let grid = &equations.grid;
    let mut area = vec![literal(grid.cell[0] * if grid.dimensions == 2 { grid.cell[1] } else { 1.0 })];
    for axis in [Axis::X, Axis::Y].into_iter().take(grid.dimensions) {
        if !grid.periodic[axis.index()] {
            let [low, high] = writer.ends(axis);
            area.push(format!("({low} || {high} ? 0.5 : 1.0)"));
        }
    }
    writer.line(format!("float area = {};", area.join("*")));
    let weigh = |(at, value): (&usize, String)| match equations.totals[*at].mean {
        true => format!("{value}*{}", literal(1.0 / grid.whole())),
        false => value,
    };
    let values: Vec<String> = own.iter().zip(values).map(weigh).collect();
    writer.line(format!("next = area*{vector}({});", values.join(", ")));
    if grid.mask.is_some() {
        let inside = writer.inside(HERE);
        writer.line(format!("if ({inside} < 0.5) next = {vector}(0.0);"));
    }
    let name = format!("totals{level}_{part_of}");
    writer.finish(
        Role::Totals(level, own),
        format!("{name}.frag"),
        &format!("RANGE {vector} next;"),
        "integrands times the areas of cells",
    )
}

/// A step, or a stage of one.
fn step(equations: &Equations, scheme: Scheme) -> KernelText {
    let mut writer = Writer::new(equations);
    let count = equations.fields.len();
    let vector = vector(count);
    let rates: Vec<String> =
        equations.fields.iter().map(|field| writer.expression(&field.dt, HERE)).collect();
    writer.line(format!("{vector} rate = {vector}({});", rates.join(", ")));
    let outputs = match scheme {
        Scheme::Ab2 => {
            let (here, past) = (writer.texel("state", count, HERE), writer.texel("past", count, HERE));
            writer.constants.insert("weights");
            writer.line(format!("next = {here} + dt*(weights.x*rate + weights.y*{past});"));
            writer.line("slope = rate;".into());
            vec!["next", "slope"]
        }
        Scheme::Rk4 => {
            let (base, sum) = (writer.texel("base", count, HERE), writer.texel("sum", count, HERE));
            writer.constants.insert("weights");
            writer.line(format!("next = {base} + weights.x*dt*rate;"));
            writer.line(format!("total = {sum} + weights.y*dt*rate;"));
            vec!["next", "total"]
        }
        _ => {
            let here = writer.texel("state", count, HERE);
            writer.line(format!("next = {here} + dt*rate;"));
            vec!["next"]
        }
    };
    writer.constants.insert("dt");
    writer.noise("next");
    let held: Vec<&str> = outputs.iter().copied().filter(|output| *output != "slope").collect();
    for (at, field) in equations.fields.iter().enumerate() {
        for output in &held {
            let target = format!("{output}{}", part(at, count));
            writer.hold(&field.edges, &field.mask, "t_next", |value| vec![format!("{target} = {value};")]);
        }
    }
    let ranges: Vec<String> = outputs.iter().map(|output| format!("RANGE {vector} {output};")).collect();
    let names: Vec<&str> = equations.fields.iter().map(|field| field.name.as_str()).collect();
    let what = format!("{} of {}", scheme.name(), names.join(", "));
    writer.finish(Role::Step, "step.frag".into(), &ranges.join("\n"), &what)
}

/// The kernels of an implicit step: R = k₀ δ + k₁ (J u + S) + k₂ N + k₃ N of the step before, and N.
///
/// J u and S are taken at the end of a step, or as the mean of both ends. Where nothing changes with t they share the fetches of N; else they
/// have a scope of their own, and a state whose held nodes have the values of those times.
fn implicit(equations: &Equations, split: &Split, scheme: Scheme) -> Vec<KernelText> {
    let noises = equations.fields.iter().filter_map(|field| field.noise.as_ref());
    let formulas =
        split.linear.iter().chain(split.sources.iter().flatten()).chain(split.explicit.iter().flatten());
    let mut all = before(equations, &formulas.chain(noises).collect::<Vec<_>>());
    let count = equations.fields.len();
    let vector = vector(count);
    let clocks: &[&'static str] = match scheme {
        Scheme::Cnab2 | Scheme::Cn => &["t_edge", "t_next"],
        _ => &["t_next"],
    };
    let names: Vec<&str> = equations.fields.iter().map(|field| field.name.as_str()).collect();
    if split.moving_values {
        let mut writer = Writer::new(equations);
        let here = writer.texel("state", count, HERE);
        let ends = ["low", "high"];
        for (end, clock) in ends.into_iter().zip(clocks) {
            writer.line(format!("{vector} {end} = {here};"));
            for (at, field) in equations.fields.iter().enumerate() {
                let target = format!("{end}{}", part(at, count));
                writer.hold(&field.edges, &field.mask, clock, |value| vec![format!("{target} = {value};")]);
            }
        }
        writer.line(if clocks.len() == 2 { "next = 0.5*(low + high);".into() } else { "next = low;".into() });
        let what = format!("{} with the edges of the end of the step", names.join(", "));
        all.push(writer.finish(Role::Held, "held.frag".into(), &format!("RANGE {vector} next;"), &what));
    }
    let mut writer = Writer::new(equations);
    let explicit: Vec<String> = split
        .explicit
        .iter()
        .map(|formula| formula.as_ref().map_or("0.0".into(), |formula| writer.expression(formula, HERE)))
        .collect();
    writer.line(format!("n = {vector}({});", explicit.join(", ")));
    let ends = |writer: &mut Writer| -> String {
        let each = split.linear.iter().zip(&split.sources).map(|(linear, source)| {
            let linear = writer.expression(linear, HERE);
            match source {
                Some(source) => format!("{linear} + {}", writer.expression(source, HERE)),
                None => linear,
            }
        });
        format!("{vector}({})", each.collect::<Vec<_>>().join(", "))
    };
    if split.moving {
        let state = if split.moving_values { "held" } else { "state" };
        writer.line(format!("{vector} linear = {vector}(0.0);"));
        for clock in clocks {
            let share = literal(1.0 / clocks.len() as f64);
            writer.scope(clock, state, |writer| {
                let value = ends(writer);
                writer.line(format!("linear += {share}*{value};"));
            });
        }
    } else {
        let value = ends(&mut writer);
        writer.line(format!("{vector} linear = {value};"));
    }
    writer.constants.insert("k");
    let mut sum = "k.y*linear + k.z*n".to_owned();
    for (factor, stream, is_used) in [
        ("k.x", "change", scheme == Scheme::Sbdf2),
        ("k.w", "past", matches!(scheme, Scheme::Sbdf2 | Scheme::Cnab2)),
    ] {
        if is_used {
            sum += &format!(" + {factor}*{}", writer.texel(stream, count, HERE));
        }
    }
    writer.line(format!("r = {sum};"));
    writer.noise("r");
    let sides = 2 * equations.grid.dimensions;
    let is_value = |edge: &Edge| matches!(edge, Edge::Value(_));
    let holds =
        |field: &super::Field| equations.grid.mask.is_some() || field.edges[..sides].iter().any(is_value);
    for (at, field) in equations.fields.iter().enumerate().filter(|(_, field)| holds(field)) {
        let (own, here) = (part(at, count), writer.texel("state", count, HERE));
        writer.hold(&field.edges, &field.mask, "t_next", |value| {
            vec![format!("r{own} = {value} - {here}{own};"), format!("n{own} = 0.0;")]
        });
    }
    let what = format!("the right side of {} for {}, and its explicit part", scheme.name(), names.join(", "));
    let ranges = format!("RANGE {vector} r;\nRANGE {vector} n;");
    all.push(writer.finish(Role::Step, "step.frag".into(), &ranges, &what));
    all
}

/// The kernel that gives held nodes their values at t; `None` where no edge holds any.
pub(super) fn holding(equations: &Equations) -> Option<KernelText> {
    let (count, sides) = (equations.fields.len(), 2 * equations.grid.dimensions);
    let has_mask = equations.grid.mask.is_some();
    let holds = |field: &super::Field| {
        let of_mask = std::iter::once(&field.mask).filter(|_| has_mask);
        field.edges[..sides].iter().chain(of_mask).any(|edge| matches!(edge, Edge::Value(_)))
    };
    if !equations.fields.iter().any(holds) {
        return None;
    }
    let mut writer = Writer::new(equations);
    let here = writer.texel("state", count, HERE);
    writer.line(format!("next = {here};"));
    for (at, field) in equations.fields.iter().enumerate() {
        let target = format!("next{}", part(at, count));
        writer.hold(&field.edges, &field.mask, "t_next", |value| vec![format!("{target} = {value};")]);
    }
    let range = format!("RANGE {} next;", vector(count));
    Some(writer.finish(Role::Held, "hold.frag".into(), &range, "the fields with what edges hold"))
}

/// The name of an auxiliary field in comments.
fn auxiliary_name(equations: &Equations, at: usize) -> String {
    equations.auxiliaries[at].name.clone().unwrap_or(format!("({})", at + 1))
}

/// GLSL's type of `count` numbers.
fn vector(count: usize) -> &'static str {
    ["float", "float", "vec2", "vec3", "vec4"][count.min(4)]
}

/// The swizzle that picks one of `count` numbers.
fn part(component: usize, count: usize) -> &'static str {
    if count == 1 { "" } else { [".x", ".y", ".z", ".w"][component.min(3)] }
}

/// A number as GLSL reads it, rounded to 32 bits.
fn literal(value: f64) -> String {
    let value = value as f32;
    if value < 0.0 { format!("({value:?})") } else { format!("{value:?}") }
}

/// A distance in nodes, to the right and up.
type Shift = [i32; 2];
const HERE: Shift = [0, 0];

fn along(axis: Axis, far: i32) -> Shift {
    if axis == Axis::X { [far, 0] } else { [0, far] }
}

/// C, or the letters of a way: L, R, B, T, LL, ...
fn letters(shift: Shift) -> &'static str {
    match shift {
        [-1, 0] => "L",
        [1, 0] => "R",
        [0, -1] => "B",
        [0, 1] => "T",
        [-2, 0] => "LL",
        [2, 0] => "RR",
        [0, -2] => "BB",
        [0, 2] => "TT",
        _ => "C",
    }
}

/// Functions that GLSL lacks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Helper {
    Power(u32),
    AnyPower,
    Minmod,
    White,
}

impl Helper {
    fn text(self) -> String {
        match self {
            Helper::Power(n) => {
                let mut steps = vec![];
                for bit in (0..n.ilog2()).rev() {
                    steps.push("b *= b;");
                    if n >> bit & 1 == 1 {
                        steps.push("b *= a;");
                    }
                }
                format!("float power{n}(float a) {{ float b = a; {} return b; }}", steps.join(" "))
            }
            Helper::AnyPower => "float power(float a, float b) { // of a negative number for whole exponents\n    \
                 float size = a == 0.0 ? (b == 0.0 ? 1.0 : b > 0.0 ? 0.0 : uintBitsToFloat(0x7f800000u)) : pow(abs(a), b);\n    \
                 float sign = b != floor(b) ? uintBitsToFloat(0x7fc00000u) : mod(b, 2.0) == 0.0 ? 1.0 : -1.0;\n    \
                 return a < 0.0 ? sign*size : size;\n}"
                .into(),
            Helper::Minmod => {
                "float minmod(float a, float b) { return a*b <= 0.0 ? 0.0 : sign(a)*min(abs(a), abs(b)); }".into()
            }
            Helper::White => "float white(uint field) { // pcg2d of the node, as a normal number\n    \
                 uvec2 v = uvec2(coords);\n    \
                 v += uvec2(uint(key.x) | uint(key.y) << 16u, uint(key.z) | uint(key.w) << 16u);\n    \
                 v.x += field*0x9e3779b9u;\n    \
                 v = v*1664525u + 1013904223u;\n    \
                 v.x += v.y*1664525u; v.y += v.x*1664525u; v ^= v >> 16u;\n    \
                 v.x += v.y*1664525u; v.y += v.x*1664525u; v ^= v >> 16u;\n    \
                 vec2 unit = (vec2(v >> 8u) + 0.5)/16777216.0;\n    \
                 return sqrt(-2.0*log(unit.x))*cos(6.2831853*unit.y);\n}"
                .into(),
        }
    }
}

/// Values that are the same at all times.
const TIMELESS: [&str; 2] = ["ends", "inside"];

/// A copy of an entry.
fn owned<K: Clone, V: Clone>((key, value): (&K, &V)) -> (K, V) {
    (key.clone(), value.clone())
}

/// A kernel in the making.
struct Writer<'e> {
    equations: &'e Equations,
    body: Vec<String>,
    /// Names of values that are there already.
    known: HashMap<(String, Shift), String>,
    helpers: BTreeSet<Helper>,
    parameters: BTreeSet<usize>,
    streams: Vec<String>,
    constants: BTreeSet<&'static str>,
    fetches: u32,
    clock: &'static str,
    /// The stream of the fields.
    state: &'static str,
    indent: usize,
    variables: usize,
}

impl<'e> Writer<'e> {
    fn new(equations: &'e Equations) -> Writer<'e> {
        Writer {
            equations,
            body: Vec::new(),
            known: HashMap::new(),
            helpers: BTreeSet::new(),
            parameters: BTreeSet::new(),
            streams: Vec::new(),
            constants: BTreeSet::new(),
            fetches: 0,
            clock: "t",
            state: "state",
            indent: 1,
            variables: 0,
        }
    }

    fn line(&mut self, line: String) {
        self.body.push("    ".repeat(self.indent) + &line);
    }

    /// Lines that run only where `condition` holds; values made in them are not known outside.
    fn block(&mut self, condition: &str, inside: impl FnOnce(&mut Self)) {
        self.line(format!("if ({condition}) {{"));
        let known = self.known.clone();
        self.indent += 1;
        inside(self);
        self.indent -= 1;
        self.known = known;
        self.line("}".into());
    }

    /// Lines in a scope of their own, of another time and another state.
    fn scope(&mut self, clock: &'static str, state: &'static str, inside: impl FnOnce(&mut Self)) {
        let (before, stream) =
            (std::mem::replace(&mut self.clock, clock), std::mem::replace(&mut self.state, state));
        let known = std::mem::take(&mut self.known);
        self.known =
            known.iter().filter(|((key, _), _)| TIMELESS.contains(&key.as_str())).map(owned).collect();
        self.line("{".into());
        self.indent += 1;
        inside(self);
        self.indent -= 1;
        self.line("}".into());
        (self.clock, self.state, self.known) = (before, stream, known);
    }

    /// Adds white noise to a target.
    fn noise(&mut self, target: &str) {
        let count = self.equations.fields.len();
        for (at, field) in self.equations.fields.iter().enumerate() {
            let Some(noise) = &field.noise else { continue };
            let amplitude = self.expression(noise, HERE);
            let cell = literal(1.0 / (self.equations.grid.cell[0] * self.equations.grid.cell[1]).sqrt());
            self.constants.extend(["key", "dt"]);
            self.helpers.insert(Helper::White);
            self.line(format!("{target}{} += {cell}*sqrt(dt)*{amplitude}*white({at}u);", part(at, count)));
        }
    }

    fn finish(self, role: Role, name: String, ranges: &str, what: &str) -> KernelText {
        let equations = self.equations;
        let mut text = String::new();
        let names: Vec<&str> = equations.fields.iter().map(|field| field.name.as_str()).collect();
        let [width, height] = equations.grid.size;
        let _ = writeln!(text, "// Formula:   {what}");
        let _ = writeln!(
            text,
            "// Inputs:    state ({width} x {height}, {} = ({})), constants of the equations",
            &"RGBA"[..names.len().min(4)],
            names.join(", ")
        );
        let _ = writeln!(text, "// Domain and range: the grid");
        let _ = writeln!(
            text,
            "// Edges:     repeat along periodic axes; elsewhere values beyond an edge are made here"
        );
        let _ = writeln!(text, "// Reference: generated from an equation file");
        self.streams.iter().for_each(|stream| text += &format!("uniform Stream {stream};\n"));
        for at in &self.parameters {
            let _ = writeln!(text, "uniform float p_{};", equations.parameters[*at].name);
        }
        for constant in &self.constants {
            let kind = match *constant {
                "weights" => "vec2",
                "key" | "k" => "vec4",
                _ => "float",
            };
            let _ = writeln!(text, "uniform {kind} {constant};");
        }
        let _ = writeln!(text, "DOMAIN coords;\n{ranges}\n");
        self.helpers.iter().for_each(|helper| text += &(helper.text() + "\n"));
        let _ = writeln!(text, "void main() {{\n{}\n}}", self.body.join("\n"));
        KernelText {
            role,
            name,
            text,
            parameters: self.parameters.into_iter().collect(),
            streams: self.streams,
            constants: self.constants.into_iter().collect(),
            fetches: self.fetches,
        }
    }

    fn stream(&mut self, name: &str) {
        if !self.streams.iter().any(|known| known == name) {
            self.streams.push(name.to_owned());
        }
    }

    /// A variable of that value, once.
    fn variable(&mut self, key: String, shift: Shift, name: &str, value: String) -> String {
        let name = format!("{name}_{}", letters(shift));
        self.line(format!("float {name} = {value};"));
        self.known.insert((key, shift), name.clone());
        name
    }

    /// A fetch of a stream's numbers at a constant offset, as it is stored.
    fn fetch(&mut self, stream: &str, count: usize, shift: Shift) -> String {
        self.stream(stream);
        self.fetches += 1;
        let swizzle = ["", ".x", ".xy", ".xyz", ""][count.min(4)];
        let [i, j] = shift;
        let value = match shift {
            HERE => format!("value2({stream}, coords){swizzle}"),
            _ => format!("valueOffset({stream}, coords, ivec2({i}, {j})){swizzle}"),
        };
        let name = format!("{stream}_{}", letters(shift));
        self.line(format!("{} {name} = {value};", vector(count)));
        self.known.insert((stream.to_owned(), shift), name.clone());
        name
    }

    /// The conditions of lying on the two ends of an axis.
    fn ends(&mut self, axis: Axis) -> [&'static str; 2] {
        let (names, letter) = match axis {
            Axis::X => (["on_left", "on_right"], "x"),
            Axis::Y => (["on_bottom", "on_top"], "y"),
        };
        let key = ("ends".to_owned(), along(axis, 1));
        if !self.known.contains_key(&key) {
            let last = self.equations.grid.size[axis.index()] - 1;
            self.line(format!(
                "bool {} = coords.{letter} < 1.0, {} = coords.{letter} > {last}.0;",
                names[0], names[1]
            ));
            self.known.insert(key, String::new());
        }
        names
    }

    /// 1 for a node of the domain, 0 for one outside the mask.
    fn inside(&mut self, shift: Shift) -> String {
        if let Some(known) = self.known.get(&("inside".to_owned(), shift)) {
            return known.clone();
        }
        if shift == HERE {
            return self.fetch("inside", 1, HERE);
        }
        let axis = if shift[0] != 0 { Axis::X } else { Axis::Y };
        let pair =
            [-1, 1].map(|far| self.fetch("inside", 1, along(axis, far * shift[0].abs().max(shift[1].abs()))));
        let near = shift[0].abs() + shift[1].abs() == 1;
        if !self.equations.grid.periodic[axis.index()] && near {
            let [low, high] = self.ends(axis);
            self.line(format!("if ({low}) {} = {};", pair[0], pair[1]));
            self.line(format!("if ({high}) {} = {};", pair[1], pair[0]));
        }
        pair[usize::from(shift[0] + shift[1] > 0)].clone()
    }

    /// The numbers of a stream at a node, or beside it by the rules of its edges.
    fn texel(&mut self, stream: &str, count: usize, shift: Shift) -> String {
        if let Some(known) = self.known.get(&(stream.to_owned(), shift)) {
            return known.clone();
        }
        if shift == HERE {
            return self.fetch(stream, count, HERE);
        }
        let axis = if shift[0] != 0 { Axis::X } else { Axis::Y };
        let far = shift[axis.index()].abs();
        let rules = self.rules(stream);
        let centre = self.texel(stream, count, HERE);
        let near = (far == 2).then(|| [-1, 1].map(|way| self.texel(stream, count, along(axis, way))));
        let pair = [-far, far].map(|far| self.fetch(stream, count, along(axis, far)));
        if !self.equations.grid.periodic[axis.index()] && !rules.is_empty() {
            let ends = self.ends(axis);
            let letter = if axis == Axis::X { "x" } else { "y" };
            let before_last = self.equations.grid.size[axis.index()] - 2;
            for side in 0..2 {
                let condition = match (far, side) {
                    (1, _) => ends[side].to_owned(),
                    (_, 0) => format!("coords.{letter} > 1.0 && coords.{letter} < 2.0"),
                    _ => format!(
                        "coords.{letter} > {before_last}.0 && coords.{letter} < {}.0",
                        before_last + 1
                    ),
                };
                // Two steps away the edge is one step away: the value beyond it mirrors the node itself.
                let (edge, mirrored) = match &near {
                    None => (centre.clone(), pair[1 - side].clone()),
                    Some(near) => (near[side].clone(), centre.clone()),
                };
                let at = if far == 1 { HERE } else { along(axis, 2 * side as i32 - 1) };
                let (rules, ghost) = (rules.clone(), pair[side].clone());
                self.block(&condition, |writer| {
                    for (component, (edges, _)) in rules.iter().enumerate() {
                        let pick = part(component, count);
                        let rule = &edges[2 * axis.index() + side];
                        let value = writer.beyond(
                            rule,
                            at,
                            axis,
                            &format!("{edge}{pick}"),
                            &format!("{mirrored}{pick}"),
                        );
                        writer.line(format!("{ghost}{pick} = {value};"));
                    }
                });
            }
        }
        if self.equations.grid.mask.is_some() && rules.iter().any(|(_, mask)| mask.is_closed()) {
            for side in 0..2 {
                let way = 2 * side as i32 - 1;
                let inside = self.inside(along(axis, way));
                let mut shut = format!("{inside} < 0.5");
                if far == 2 {
                    shut += &format!(" || {} < 0.5", self.inside(along(axis, 2 * way)));
                }
                let last = near.as_ref().map_or(centre.clone(), |near| near[side].clone());
                for (component, (_, mask)) in rules.iter().enumerate() {
                    if mask.is_closed() {
                        let pick = part(component, count);
                        self.line(format!("if ({shut}) {}{pick} = {last}{pick};", pair[side]));
                    }
                }
            }
        }
        pair[usize::from(shift[0] + shift[1] > 0)].clone()
    }

    /// The value beyond an edge.
    fn beyond(&mut self, rule: &Edge, at: Shift, axis: Axis, edge: &str, mirrored: &str) -> String {
        match rule {
            Edge::Value(_) => format!("2.0*{edge} - {mirrored}"),
            Edge::Periodic | Edge::Flux { robin: None, constant: None } => mirrored.to_owned(),
            Edge::Flux { robin, constant } => {
                let g = constant.as_ref().map_or("0.0".into(), |formula| self.expression(formula, at));
                let b = robin.as_ref().map(|formula| self.expression(formula, at));
                let twice = literal(2.0 * self.equations.grid.cell[axis.index()]);
                match b {
                    Some(b) => format!("{mirrored} + {twice}*({g} - {b}*{edge})"),
                    None => format!("{mirrored} + {twice}*{g}"),
                }
            }
        }
    }

    /// Edges and mask of each component of a stream; nothing of images.
    fn rules(&self, stream: &str) -> Vec<(&'e [Edge; 4], &'e Edge)> {
        let equations = self.equations;
        match stream.strip_prefix("auxiliary").and_then(|level| level.parse::<usize>().ok()) {
            Some(level) => {
                let own = equations.auxiliaries.iter().filter(|auxiliary| auxiliary.level == level);
                own.map(|auxiliary| (&auxiliary.edges, &auxiliary.mask)).collect()
            }
            None if stream == "images" => Vec::new(),
            None => equations.fields.iter().map(|field| (&field.edges, &field.mask)).collect(),
        }
    }

    /// Writes lines for the nodes that edges and the mask hold, of the value that they hold.
    fn hold(
        &mut self,
        edges: &[Edge; 4],
        mask: &Edge,
        clock: &'static str,
        lines: impl Fn(&str) -> Vec<String>,
    ) {
        let before = std::mem::replace(&mut self.clock, clock);
        let known = std::mem::take(&mut self.known); // values of another time
        self.known =
            known.iter().filter(|((key, _), _)| TIMELESS.contains(&key.as_str())).map(owned).collect();
        // The first of left, right, bottom and top counts: it is written last.
        for side in (0..2 * self.equations.grid.dimensions).rev() {
            if let Edge::Value(formula) = &edges[side] {
                let end = self.ends([Axis::X, Axis::Y][side / 2])[side % 2];
                self.block(end, |writer| {
                    let value = writer.expression(formula, HERE);
                    lines(&value).into_iter().for_each(|line| writer.line(line));
                });
            }
        }
        if self.equations.grid.mask.is_some() {
            let inside = self.inside(HERE);
            self.block(&format!("{inside} < 0.5"), |writer| {
                let value = match mask {
                    Edge::Value(formula) => writer.expression(formula, HERE),
                    _ => "0.0".into(),
                };
                lines(&value).into_iter().for_each(|line| writer.line(line));
            });
        }
        let kept = std::mem::replace(&mut self.known, known);
        self.known.extend(kept.into_iter().filter(|((key, _), _)| TIMELESS.contains(&key.as_str())));
        self.clock = before;
    }

    /// The text of a formula's value beside a node.
    fn expression(&mut self, node: &Node, shift: Shift) -> String {
        let letters = letters(shift);
        match &node.term {
            Term::Number(value) => literal(*value),
            Term::Parameter(at) => {
                self.parameters.insert(*at);
                format!("p_{}", self.equations.parameters[*at].name)
            }
            Term::Step => {
                self.constants.insert("dt");
                "dt".into()
            }
            Term::Time => {
                self.constants.insert(self.clock);
                self.clock.into()
            }
            Term::Coordinate(axis) => {
                let key = format!("coordinate{}", axis.index());
                if let Some(known) = self.known.get(&(key.clone(), shift)) {
                    return known.clone();
                }
                let letter = ["x", "y"][axis.index()];
                let grid = &self.equations.grid;
                let (h, from) = (literal(grid.cell[axis.index()]), literal(grid.origin[axis.index()]));
                let away = f64::from(shift[axis.index()]);
                let index = match shift[axis.index()] {
                    0 => format!("floor(coords.{letter})"),
                    _ => format!("(floor(coords.{letter}) + {})", literal(away)),
                };
                self.variable(key, shift, letter, format!("{from} + {index}*{h}"))
            }
            Term::Field(at) => {
                let count = self.equations.fields.len();
                self.texel(self.state, count, shift) + part(*at, count)
            }
            Term::Auxiliary(at) => {
                let level = self.equations.auxiliaries[*at].level;
                let all = &self.equations.auxiliaries;
                let own: Vec<usize> = (0..all.len()).filter(|at| all[*at].level == level).collect();
                let component = own.iter().position(|own| own == at).unwrap_or(0);
                self.texel(&format!("auxiliary{level}"), own.len(), shift) + part(component, own.len())
            }
            Term::Image(at) => {
                let count = self.equations.images.len();
                self.texel("images", count, shift) + part(*at, count)
            }
            Term::Total(at) => {
                let key = format!("total{at}");
                if let Some(known) = self.known.get(&(key.clone(), HERE)) {
                    return known.clone();
                }
                let level = self.equations.totals[*at].level;
                let place =
                    totals_of(self.equations, level).iter().position(|other| other == at).unwrap_or(0);
                let stream = format!("totals{level}_{}", place / 4);
                self.stream(&stream);
                self.fetches += 1;
                let value = format!("value0({stream}){}", part(place % 4, 4));
                self.variable(key.clone(), HERE, &key, value)
            }
            Term::Let(at, inner) => {
                let key = format!("let{at}{}", self.clock);
                if let Some(known) = self.known.get(&(key.clone(), shift)) {
                    return known.clone();
                }
                let value = self.expression(inner, shift);
                let name = format!("l_{}", self.equations.lets[*at].name);
                self.variable(key, shift, &name, value)
            }
            Term::Minus(inner) => format!("(-{})", self.expression(inner, shift)),
            Term::Pair(sign, a, b) => self.pair(*sign, a, b, shift),
            Term::Call(function, arguments) => {
                let values: Vec<String> = arguments.iter().map(|part| self.expression(part, shift)).collect();
                self.call(*function, &values)
            }
            // A start is computed on the CPU.
            Term::Random(_) | Term::Normal(_) => "0.0".into(),
            Term::Lap(_)
            | Term::First(..)
            | Term::Second(..)
            | Term::Div(..)
            | Term::Adv(..)
            | Term::Grad2(_) => {
                let key = format!("operator{:p}{letters}", std::ptr::from_ref(node));
                if let Some(known) = self.known.get(&(key.clone(), HERE)) {
                    return known.clone();
                }
                let axes = [Axis::X, Axis::Y];
                let axes = &axes[..self.equations.grid.dimensions];
                let value = match &node.term {
                    Term::First(axis, e) => self.first(e, *axis),
                    Term::Second(axis, e) => self.second(e, *axis),
                    Term::Lap(e) => self.joined(axes, |writer, axis| writer.second(e, axis)),
                    Term::Div(d, e) => self.joined(axes, |writer, axis| writer.divergence(d, e, axis)),
                    Term::Adv(a, b, u) => self.joined(axes, |writer, axis| match axis {
                        Axis::X => writer.advected(a, u, axis),
                        Axis::Y => writer.advected(b, u, axis),
                    }),
                    Term::Grad2(e) => self.joined(axes, |writer, axis| writer.squares(e, axis)),
                    _ => String::new(),
                };
                self.variables += 1;
                let name = format!("d{}", self.variables);
                self.variable(key, HERE, &name, value)
            }
        }
    }

    fn joined(&mut self, axes: &[Axis], mut each: impl FnMut(&mut Self, Axis) -> String) -> String {
        axes.iter().map(|axis| each(self, *axis)).collect::<Vec<_>>().join(" + ")
    }

    fn pair(&mut self, sign: Sign, a: &Formula, b: &Formula, shift: Shift) -> String {
        let left = self.expression(a, shift);
        if sign == Sign::Power {
            let exponent = match &b.opened().term {
                Term::Number(value) => Some(*value),
                Term::Minus(inner) => match inner.opened().term {
                    Term::Number(value) => Some(-value),
                    _ => None,
                },
                _ => None,
            };
            if let Some(n) = exponent.filter(|n| n.fract() == 0.0 && n.abs() <= 16.0) {
                let power = match n.abs() as u32 {
                    0 => return "1.0".into(),
                    1 => left,
                    n => {
                        self.helpers.insert(Helper::Power(n));
                        format!("power{n}({left})")
                    }
                };
                return if n < 0.0 { format!("(1.0/{power})") } else { power };
            }
            let right = self.expression(b, shift);
            self.helpers.insert(Helper::AnyPower);
            return format!("power({left}, {right})");
        }
        let right = self.expression(b, shift);
        match sign {
            Sign::Add | Sign::Subtract => format!("({left} {} {right})", sign.spelt()),
            Sign::Times | Sign::Over => format!("({left}{}{right})", sign.spelt()),
            _ => format!("({left} {} {right} ? 1.0 : 0.0)", sign.spelt()),
        }
    }

    fn call(&mut self, function: Function, values: &[String]) -> String {
        let all = values.join(", ");
        match function {
            Function::Atan2 => format!("atan({all})"),
            // Drivers make it of exponentials, which overflow.
            Function::Tanh => format!("tanh(clamp({all}, -20.0, 20.0))"),
            Function::Where => format!("({} != 0.0 ? {} : {})", values[0], values[1], values[2]),
            Function::Heaviside => format!("({all} >= 0.0 ? 1.0 : 0.0)"),
            Function::Gauss => {
                self.helpers.insert(Helper::Power(2));
                format!("exp(-0.5*power2({all}))")
            }
            _ => format!("{}({all})", function.name()),
        }
    }

    /// The name of a value that is used more than once.
    fn named(&mut self, node: &Formula, shift: Shift) -> String {
        let simple = matches!(
            node.term,
            Term::Number(_)
                | Term::Parameter(_)
                | Term::Field(_)
                | Term::Auxiliary(_)
                | Term::Image(_)
                | Term::Let(..)
        );
        if simple {
            return self.expression(node, shift);
        }
        let key = format!("value{:p}", std::rc::Rc::as_ptr(node));
        if let Some(known) = self.known.get(&(key.clone(), shift)) {
            return known.clone();
        }
        let value = self.expression(node, shift);
        let number = match self.known.get(&(format!("{key}number"), HERE)) {
            Some(known) => known.clone(),
            None => {
                self.variables += 1;
                self.known.insert((format!("{key}number"), HERE), self.variables.to_string());
                self.variables.to_string()
            }
        };
        self.variable(key, shift, &format!("e{number}"), value)
    }

    /// The value below, here and above along an axis.
    fn three(&mut self, e: &Formula, axis: Axis) -> [String; 3] {
        [-1, 0, 1].map(|far| self.named(e, along(axis, far)))
    }

    fn cell(&self, axis: Axis) -> f64 {
        self.equations.grid.cell[axis.index()]
    }

    fn first(&mut self, e: &Formula, axis: Axis) -> String {
        let [low, _, high] = self.three(e, axis);
        format!("({high} - {low})*{}", literal(0.5 / self.cell(axis)))
    }

    fn second(&mut self, e: &Formula, axis: Axis) -> String {
        let [low, here, high] = self.three(e, axis);
        format!("(({low} - {here}) + ({high} - {here}))*{}", literal(self.cell(axis).powi(-2)))
    }

    fn squares(&mut self, e: &Formula, axis: Axis) -> String {
        let [low, here, high] = self.three(e, axis);
        self.helpers.insert(Helper::Power(2));
        let half = literal(0.5 * self.cell(axis).powi(-2));
        format!("(power2({high} - {here}) + power2({here} - {low}))*{half}")
    }

    /// The balance of a cell: fluxes through its upper and lower face; at an end that at the node, over half a cell.
    fn balance(&mut self, axis: Axis, low: String, high: String, own: &str, scale: f64) -> String {
        self.variables += 1;
        let [lower, upper] = ["down", "up"].map(|name| format!("{name}{}", self.variables));
        self.line(format!("float {lower} = {low};"));
        self.line(format!("float {upper} = {high};"));
        let scale = literal(scale);
        if self.equations.grid.periodic[axis.index()] {
            return format!("({upper} - {lower})*{scale}");
        }
        let [at_low, at_high] = self.ends(axis);
        self.line(format!("if ({at_low}) {lower} = {own};"));
        self.line(format!("if ({at_high}) {upper} = {own};"));
        format!("({upper} - {lower})*({at_low} || {at_high} ? 2.0 : 1.0)*{scale}")
    }

    fn divergence(&mut self, d: &Formula, e: &Formula, axis: Axis) -> String {
        let [d_low, d_here, d_high] = self.three(d, axis);
        let [low, here, high] = self.three(e, axis);
        let down = format!("0.5*({d_low} + {d_here})*({here} - {low})");
        let up = format!("0.5*({d_high} + {d_here})*({high} - {here})");
        let own = format!("0.5*{d_here}*({high} - {low})");
        self.balance(axis, down, up, &own, self.cell(axis).powi(-2))
    }

    fn advected(&mut self, a: &Formula, u: &Formula, axis: Axis) -> String {
        if let Term::Number(0.0) = a.opened().term {
            return "0.0".into();
        }
        let [a_low, a_here, a_high] = self.three(a, axis);
        let [low, here, high] = self.three(u, axis);
        let own = format!("{a_here}*{here}");
        self.variables += 1;
        let [slow, fast] = ["speed", "pace"].map(|name| format!("{name}{}", self.variables));
        self.line(format!("float {slow} = 0.5*({a_low} + {a_here}), {fast} = 0.5*({a_here} + {a_high});"));
        let (down, up) = match self.equations.run.advection {
            Advection::Central => (format!("0.5*({low} + {here})"), format!("0.5*({here} + {high})")),
            Advection::Upwind => {
                (format!("({slow} > 0.0 ? {low} : {here})"), format!("({fast} > 0.0 ? {here} : {high})"))
            }
            Advection::Minmod => {
                self.helpers.insert(Helper::Minmod);
                let [lower, higher] = [-2, 2].map(|far| self.named(u, along(axis, far)));
                let face = |speed: &str, [w, l, r, z]: [&str; 4]| {
                    format!(
                        "({speed} > 0.0 ? {l} + 0.5*minmod({l} - {w}, {r} - {l}) : {r} - 0.5*minmod({r} - {l}, {z} - {r}))"
                    )
                };
                (face(&slow, [&lower, &low, &here, &high]), face(&fast, [&low, &here, &high, &higher]))
            }
        };
        self.balance(axis, format!("{slow}*{down}"), format!("{fast}*{up}"), &own, 1.0 / self.cell(axis))
    }
}
