//! Formulas over a grid on the CPU, in f64: starts, exact solutions, probes, and what the kernels are held against.
//!
//! The kernels are made of the same formulas by other code (`kernel`), and nothing of it is used here.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::equations::{Advection, Edge, Equations, Field, Grid, Image};
use super::formula::{Axis, Formula, Node, Term};
use crate::numeric::Random;

/// The number of a formula without fields, places, time and chance.
pub(super) fn constant(node: &Node, parameters: &[f64], step: f64) -> Option<f64> {
    if !node.has.is_constant() {
        return None;
    }
    let of = |node: &Node| constant(node, parameters, step);
    Some(match &node.term {
        Term::Number(value) => *value,
        Term::Parameter(at) => *parameters.get(*at)?,
        Term::Step => step,
        Term::Let(_, inner) => of(inner)?,
        Term::Minus(inner) => -of(inner)?,
        Term::Pair(sign, a, b) => sign.of(of(a)?, of(b)?),
        Term::Call(function, arguments) => {
            let mut values = [0.0; 3];
            for (value, argument) in values.iter_mut().zip(arguments) {
                *value = of(argument)?;
            }
            function.of(values)
        }
        _ => return None,
    })
}

/// White noise of unit variance at a node: a hash of seed, step, field and node, as the kernels have it.
pub(super) fn white(key: [u32; 2], field: usize, at: [u32; 2]) -> f64 {
    let mut v = [
        at[0].wrapping_add(key[0]).wrapping_add((field as u32).wrapping_mul(0x9e37_79b9)),
        at[1].wrapping_add(key[1]),
    ];
    // pcg2d of Jarzynski and Olano, Hash Functions for GPU Rendering, JCGT 9 (3), 2020.
    const FACTOR: u32 = 1_664_525;
    for word in &mut v {
        *word = word.wrapping_mul(FACTOR).wrapping_add(1_013_904_223);
    }
    for _ in 0..2 {
        v[0] = v[0].wrapping_add(v[1].wrapping_mul(FACTOR));
        v[1] = v[1].wrapping_add(v[0].wrapping_mul(FACTOR));
        v = v.map(|word| word ^ (word >> 16));
    }
    let unit = v.map(|word| (f64::from(word >> 8) + 0.5) / f64::from(1 << 24));
    (-2.0 * unit[0].ln()).sqrt() * (std::f64::consts::TAU * unit[1]).cos()
}

/// The key of a step's noise.
pub(super) fn noise_key(seed: u64, step: u64) -> [u32; 2] {
    let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ step);
    let bits = random.bits();
    [bits as u32, (bits >> 32) as u32]
}

/// A number for all nodes, or one for each.
#[derive(Clone)]
enum Value {
    One(f64),
    Each(Rc<Vec<f64>>),
}

impl Value {
    fn map(&self, f: impl Fn(f64) -> f64) -> Value {
        match self {
            Value::One(value) => Value::One(f(*value)),
            Value::Each(all) => Value::each(all.iter().map(|value| f(*value)).collect()),
        }
    }

    fn zip(&self, other: &Value, f: impl Fn(f64, f64) -> f64) -> Value {
        match (self, other) {
            (Value::One(a), b) => b.map(|b| f(*a, b)),
            (a, Value::One(b)) => a.map(|a| f(a, *b)),
            (Value::Each(a), Value::Each(b)) => {
                Value::each(a.iter().zip(b.iter()).map(|(a, b)| f(*a, *b)).collect())
            }
        }
    }

    fn each(all: Vec<f64>) -> Value {
        Value::Each(Rc::new(all))
    }

    fn at(&self, node: usize) -> f64 {
        match self {
            Value::One(value) => *value,
            Value::Each(all) => all[node],
        }
    }
}

/// A distance in nodes, to the right and up.
type Shift = [i64; 2];
const HERE: Shift = [0, 0];

/// The fields of a moment, and the formulas over them.
pub struct Evaluation<'e> {
    equations: Option<&'e Equations>,
    grid: &'e Grid,
    images: &'e [Image],
    parameters: Vec<f64>,
    step: f64,
    seed: u64,
    time: f64,
    fields: Vec<Vec<f64>>,
    auxiliaries: Vec<Vec<f64>>,
    totals: Vec<f64>,
    known: RefCell<HashMap<(usize, Shift), Value>>,
}

/// A field, an auxiliary one or an image.
#[derive(Clone, Copy)]
enum Source {
    Field(usize),
    Auxiliary(usize),
    Image(usize),
}

impl Equations {
    /// The fields at the start, edges held, with these parameters.
    pub(super) fn start(&self, parameters: &[f64], step: f64) -> Vec<Vec<f64>> {
        let plain = Evaluation::plain(&self.grid, &self.images, parameters, step, self.run.seed);
        let of = |field: &Field| {
            let mut values = match &field.start {
                Some(formula) => plain.values(formula),
                None => vec![0.0; self.grid.nodes()],
            };
            plain.hold(&mut values, &field.edges, &field.mask, 0.0);
            values
        };
        self.fields.iter().map(of).collect()
    }
}

impl<'e> Evaluation<'e> {
    /// Evaluates formulas without fields.
    pub(super) fn plain(
        grid: &'e Grid,
        images: &'e [Image],
        parameters: &[f64],
        step: f64,
        seed: u64,
    ) -> Evaluation<'e> {
        Evaluation {
            equations: None,
            grid,
            images,
            parameters: parameters.to_vec(),
            step,
            seed,
            time: 0.0,
            fields: Vec::new(),
            auxiliaries: Vec::new(),
            totals: Vec::new(),
            known: RefCell::default(),
        }
    }

    /// Evaluates all formulas of a file: fields one after the other, each row after row.
    ///
    /// # Panics
    /// If there are fewer fields than the equations have, or shorter ones.
    pub fn new(
        equations: &'e Equations,
        parameters: &[f64],
        step: f64,
        time: f64,
        fields: Vec<Vec<f64>>,
    ) -> Evaluation<'e> {
        Evaluation::with_totals(equations, parameters, step, time, fields, None)
    }

    fn with_totals(
        equations: &'e Equations,
        parameters: &[f64],
        step: f64,
        time: f64,
        fields: Vec<Vec<f64>>,
        totals: Option<&[f64]>,
    ) -> Evaluation<'e> {
        let grid = &equations.grid;
        assert!(
            fields.len() == equations.fields.len() && fields.iter().all(|field| field.len() == grid.nodes())
        );
        let mut made = Evaluation::plain(grid, &equations.images, parameters, step, equations.run.seed);
        made.equations = Some(equations);
        (made.time, made.fields) = (time, fields);
        made.auxiliaries = vec![vec![0.0; grid.nodes()]; equations.auxiliaries.len()];
        made.totals = totals.map_or(vec![0.0; equations.totals.len()], <[f64]>::to_vec);
        for level in 1..=equations.levels() {
            for (at, auxiliary) in equations.auxiliaries.iter().enumerate() {
                if auxiliary.level == level {
                    let mut values = made.values(&auxiliary.is);
                    made.hold(&mut values, &auxiliary.edges, &auxiliary.mask, time);
                    made.auxiliaries[at] = values;
                }
            }
            for (at, total) in equations.totals.iter().enumerate() {
                if total.level == level && totals.is_none() {
                    made.totals[at] = made.total(&total.of) / if total.mean { grid.whole() } else { 1.0 };
                }
            }
            made.known.borrow_mut().clear();
        }
        made
    }

    /// The integral of a formula over the domain.
    pub fn total(&self, formula: &Formula) -> f64 {
        let values = self.at(formula, HERE);
        (0..self.grid.nodes())
            .map(|node| (self.grid.area(node), node))
            .filter(|(area, _)| *area > 0.0)
            .map(|(area, node)| area * values.at(node))
            .sum()
    }

    /// The values of a formula at all nodes.
    pub fn values(&self, formula: &Formula) -> Vec<f64> {
        match self.at(formula, HERE) {
            Value::One(value) => vec![value; self.grid.nodes()],
            Value::Each(all) => Rc::unwrap_or_clone(all),
        }
    }

    /// The value of a formula at a node.
    pub fn value(&self, formula: &Formula, node: usize) -> f64 {
        self.at(formula, HERE).at(node)
    }

    /// ∂/∂t of all fields, 0 at nodes that edges or the mask hold.
    pub fn rates(&self) -> Vec<Vec<f64>> {
        let Some(equations) = self.equations else { return Vec::new() };
        let held = |field: &Field, node| self.holder(&field.edges, &field.mask, node).is_some();
        let rate = |field: &Field| {
            let mut values = self.values(&field.dt);
            let all = values.iter_mut().enumerate();
            all.filter(|(node, _)| held(field, *node)).for_each(|(_, value)| *value = 0.0);
            values
        };
        equations.fields.iter().map(rate).collect()
    }

    /// The same moment with other fields; totals stay as they are if they are held.
    pub(super) fn of_fields(
        &self,
        equations: &'e Equations,
        fields: Vec<Vec<f64>>,
        holds_totals: bool,
    ) -> Evaluation<'e> {
        let totals = holds_totals.then_some(&self.totals[..]);
        Evaluation::with_totals(equations, &self.parameters, self.step, self.time, fields, totals)
    }

    pub(super) fn step(&self) -> f64 {
        self.step
    }

    pub(super) fn fields(&self) -> &[Vec<f64>] {
        &self.fields
    }

    pub(super) fn parameters(&self) -> &[f64] {
        &self.parameters
    }

    /// Sets a field's values at the nodes that edges and the mask hold, as they are at that time.
    pub fn hold(&self, values: &mut [f64], edges: &[Edge; 4], mask: &Edge, time: f64) {
        let mut at_time = Evaluation::plain(self.grid, self.images, &self.parameters, self.step, self.seed);
        at_time.time = time;
        for (node, value) in values.iter_mut().enumerate() {
            match self.holder(edges, mask, node) {
                Some(Edge::Value(formula)) => *value = at_time.at(formula, HERE).at(node),
                Some(_) => *value = 0.0,
                None => {}
            }
        }
    }

    /// The rule that holds a node's value: that of the mask, then of left and right, then of bottom and top.
    pub(super) fn holder<'r>(&self, edges: &'r [Edge; 4], mask: &'r Edge, node: usize) -> Option<&'r Edge> {
        if self.grid.mask.as_ref().is_some_and(|inside| !inside[node]) {
            return Some(mask);
        }
        let [width, height] = self.grid.size.map(|side| side as usize);
        let (i, j) = (node % width, node / width);
        let ends = [i == 0, i == width - 1, j == 0, j == height - 1];
        let sides = ends.iter().zip(edges).take(2 * self.grid.dimensions);
        sides.filter(|(here, edge)| **here && matches!(edge, Edge::Value(_))).map(|(_, edge)| edge).next()
    }

    fn at(&self, node: &Node, shift: Shift) -> Value {
        let here = |node: &Node| self.at(node, shift);
        match &node.term {
            Term::Number(value) => Value::One(*value),
            Term::Parameter(at) => Value::One(self.parameters[*at]),
            Term::Step => Value::One(self.step),
            Term::Time => Value::One(self.time),
            Term::Coordinate(axis) => self.coordinate(*axis, shift),
            Term::Field(at) => self.fetched(Source::Field(*at), shift),
            Term::Auxiliary(at) => self.fetched(Source::Auxiliary(*at), shift),
            Term::Image(at) => self.fetched(Source::Image(*at), shift),
            Term::Total(at) => Value::One(self.totals[*at]),
            Term::Let(_, inner) => {
                let key = (Rc::as_ptr(inner) as usize, shift);
                if let Some(known) = self.known.borrow().get(&key) {
                    return known.clone();
                }
                let value = here(inner);
                self.known.borrow_mut().insert(key, value.clone());
                value
            }
            Term::Minus(inner) => here(inner).map(|value| -value),
            Term::Pair(sign, a, b) => here(a).zip(&here(b), |a, b| sign.of(a, b)),
            Term::Call(function, arguments) => match &arguments[..] {
                [a] => here(a).map(|a| function.of([a, 0.0, 0.0])),
                [a, b] => here(a).zip(&here(b), |a, b| function.of([a, b, 0.0])),
                all => {
                    let all: Vec<Value> = all.iter().map(|part| here(part)).collect();
                    let of = |node| function.of([all[0].at(node), all[1].at(node), all[2].at(node)]);
                    Value::each((0..self.grid.nodes()).map(of).collect())
                }
            },
            Term::Random(which) | Term::Normal(which) => {
                let mut random = Random(self.seed.wrapping_mul(0x9e37_79b9).wrapping_add(*which as u64));
                random.bits();
                let normal = matches!(node.term, Term::Normal(_));
                let unit = |random: &mut Random| (random.bits() >> 11) as f64 / (1_u64 << 53) as f64;
                let mut next = || match normal {
                    false => unit(&mut random),
                    true => {
                        let (a, b) = (1.0 - unit(&mut random), unit(&mut random));
                        (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
                    }
                };
                Value::each((0..self.grid.nodes()).map(|_| next()).collect())
            }
            Term::Lap(e) => self.sum_over_axes(|axis| self.second(e, axis)),
            Term::First(axis, e) => {
                let [low, high] = self.beside(e, *axis, 1);
                let twice = 2.0 * self.grid.cell[axis.index()];
                high.zip(&low, |high, low| (high - low) / twice)
            }
            Term::Second(axis, e) => self.second(e, *axis),
            Term::Div(d, e) => self.sum_over_axes(|axis| self.divergence(d, e, axis)),
            Term::Adv(a, b, u) => self.sum_over_axes(|axis| match axis {
                Axis::X => self.advected(a, u, axis),
                Axis::Y => self.advected(b, u, axis),
            }),
            Term::Grad2(e) => self.sum_over_axes(|axis| {
                let [low, high] = self.beside(e, axis, 1);
                let (centre, h) = (self.at(e, HERE), self.grid.cell[axis.index()]);
                let square = |a: f64, b: f64| (a - b) * (a - b) / (2.0 * h * h);
                high.zip(&centre, square).zip(&centre.zip(&low, square), |a, b| a + b)
            }),
        }
    }

    fn sum_over_axes(&self, of: impl Fn(Axis) -> Value) -> Value {
        let along_x = of(Axis::X);
        if self.grid.dimensions == 1 {
            return along_x;
        }
        along_x.zip(&of(Axis::Y), |a, b| a + b)
    }

    /// The values `far` nodes below and above along an axis.
    fn beside(&self, e: &Formula, axis: Axis, far: i64) -> [Value; 2] {
        [-far, far].map(|far| self.at(e, if axis == Axis::X { [far, 0] } else { [0, far] }))
    }

    fn second(&self, e: &Formula, axis: Axis) -> Value {
        let [low, high] = self.beside(e, axis, 1);
        let (centre, h) = (self.at(e, HERE), self.grid.cell[axis.index()]);
        low.zip(&high, |low, high| low + high).zip(&centre, |sum, centre| (sum - 2.0 * centre) / (h * h))
    }

    /// The end of an axis that a node lies on, −1 or 1; 0 between them.
    fn end(&self, node: usize, axis: Axis) -> i64 {
        let width = self.grid.size[0] as usize;
        let at = if axis == Axis::X { node % width } else { node / width };
        if self.grid.periodic[axis.index()] {
            0
        } else if at == 0 {
            -1
        } else {
            i64::from(at + 1 == self.grid.size[axis.index()] as usize)
        }
    }

    /// The flow out of a node's cell along an axis, by its flux up through a lower face, that through an upper, and that at the node
    /// itself, where it lies on an end and has half a cell.
    fn balance(&self, axis: Axis, faces: [Value; 2], own: Value) -> Value {
        let h = self.grid.cell[axis.index()];
        let of = |node| {
            let [low, high] = [faces[0].at(node), faces[1].at(node)];
            match self.end(node, axis) {
                -1 => (high - own.at(node)) * 2.0 / h,
                1 => (own.at(node) - low) * 2.0 / h,
                _ => (high - low) / h,
            }
        };
        Value::each((0..self.grid.nodes()).map(of).collect())
    }

    fn divergence(&self, d: &Formula, e: &Formula, axis: Axis) -> Value {
        let h = self.grid.cell[axis.index()];
        let [d_low, d_high] = self.beside(d, axis, 1);
        let [e_low, e_high] = self.beside(e, axis, 1);
        let (d_here, e_here) = (self.at(d, HERE), self.at(e, HERE));
        let flux = |d: &Value, up: &Value, down: &Value| {
            let mean = d.zip(&d_here, |a, b| 0.5 * (a + b));
            mean.zip(&up.zip(down, |up, down| (up - down) / h), |d, slope| d * slope)
        };
        let faces = [flux(&d_low, &e_here, &e_low), flux(&d_high, &e_high, &e_here)];
        let own = d_here.zip(&e_high.zip(&e_low, |up, down| (up - down) / (2.0 * h)), |d, slope| d * slope);
        self.balance(axis, faces, own)
    }

    fn advected(&self, a: &Formula, u: &Formula, axis: Axis) -> Value {
        let way = self.equations.map_or(Advection::Central, |equations| equations.run.advection);
        let [a_low, a_high] = self.beside(a, axis, 1);
        let [u_low, u_high] = self.beside(u, axis, 1);
        let (a_here, u_here) = (self.at(a, HERE), self.at(u, HERE));
        let [u_lower, u_higher] =
            if way == Advection::Minmod { self.beside(u, axis, 2) } else { [u_low.clone(), u_high.clone()] };
        let minmod = |a: f64, b: f64| if a * b <= 0.0 { 0.0 } else { a.signum() * a.abs().min(b.abs()) };
        // Four values in a row, and the velocity at the face in their middle.
        let flux = |speed: f64, [w, l, r, z]: [f64; 4]| {
            let carried = match (way, speed > 0.0) {
                (Advection::Central, _) => 0.5 * (l + r),
                (Advection::Upwind, true) => l,
                (Advection::Upwind, false) => r,
                (Advection::Minmod, true) => l + 0.5 * minmod(l - w, r - l),
                (Advection::Minmod, false) => r - 0.5 * minmod(r - l, z - r),
            };
            speed * carried
        };
        let face = |beside: &Value, row: [&Value; 4]| {
            let of = |node| flux(0.5 * (beside.at(node) + a_here.at(node)), row.map(|value| value.at(node)));
            Value::each((0..self.grid.nodes()).map(of).collect())
        };
        let low = face(&a_low, [&u_lower, &u_low, &u_here, &u_high]);
        let high = face(&a_high, [&u_low, &u_here, &u_high, &u_higher]);
        self.balance(axis, [low, high], a_here.zip(&u_here, |a, u| a * u))
    }

    fn coordinate(&self, axis: Axis, shift: Shift) -> Value {
        let away = shift[axis.index()] as f64 * self.grid.cell[axis.index()];
        let of = |node| self.grid.place(node)[axis.index()] + away;
        Value::each((0..self.grid.nodes()).map(of).collect())
    }

    /// The values of a field beside each node, beyond edges by the edges' rules.
    fn fetched(&self, source: Source, shift: Shift) -> Value {
        let key = match source {
            Source::Field(at) => at,
            Source::Auxiliary(at) => 8 + at,
            Source::Image(at) => 16 + at,
        };
        if let Some(known) = self.known.borrow().get(&(key, shift)) {
            return known.clone();
        }
        let value = match (source, self.equations) {
            (Source::Image(at), _) => {
                let image: Vec<f64> = self.images[at].values.iter().map(|value| f64::from(*value)).collect();
                let of = |node| image[self.clamped(node, shift)];
                Value::each((0..image.len()).map(of).collect())
            }
            (Source::Field(at), Some(equations)) => {
                let field = &equations.fields[at];
                self.shifted(&self.fields[at], &field.edges, &field.mask, shift)
            }
            (Source::Auxiliary(at), Some(equations)) => {
                let auxiliary = &equations.auxiliaries[at];
                self.shifted(&self.auxiliaries[at], &auxiliary.edges, &auxiliary.mask, shift)
            }
            (_, None) => Value::One(0.0),
        };
        self.known.borrow_mut().insert((key, shift), value.clone());
        value
    }

    /// The node so far away, or the last before the edge.
    fn clamped(&self, node: usize, shift: Shift) -> usize {
        let width = self.grid.size[0] as usize;
        let mut at = [(node % width) as i64, (node / width) as i64];
        for axis in 0..2 {
            let side = i64::from(self.grid.size[axis]);
            at[axis] += shift[axis];
            at[axis] = if self.grid.periodic[axis] {
                at[axis].rem_euclid(side)
            } else {
                at[axis].clamp(0, side - 1)
            };
        }
        at[1] as usize * width + at[0] as usize
    }

    fn shifted(&self, values: &[f64], edges: &[Edge; 4], mask: &Edge, shift: Shift) -> Value {
        if shift == HERE {
            return Value::each(values.to_vec());
        }
        let axis = usize::from(shift[0] == 0);
        let (width, side) = (self.grid.size[0] as usize, i64::from(self.grid.size[axis]));
        let stride = if axis == 0 { 1 } else { width };
        let closed = self.grid.mask.as_ref().filter(|_| mask.is_closed());
        let inside = |node: usize| closed.is_none_or(|mask| mask[node]);
        let mut edge_values: HashMap<usize, [Value; 2]> = HashMap::new();
        let mut of = |node: usize| {
            let at = (if axis == 0 { node % width } else { node / width }) as i64;
            let base = node - at as usize * stride;
            let node_at = |at: i64| base + at as usize * stride;
            // A face between the mask and its outside is shut: what lies behind it counts as what lies before it.
            let mut value = values[node];
            for far in 1..=shift[axis].abs() {
                let to = at + far * shift[axis].signum();
                let (place, ghost) = if self.grid.periodic[axis] {
                    (node_at(to.rem_euclid(side)), None)
                } else if to < 0 {
                    (node_at(-to), Some((2 * axis, 0, -to)))
                } else if to >= side {
                    (node_at(2 * (side - 1) - to), Some((2 * axis + 1, side - 1, to - side + 1)))
                } else {
                    (node_at(to), None)
                };
                if !inside(place) {
                    return value;
                }
                let plain = values[place];
                value = match ghost {
                    None => plain,
                    Some((which, end, beyond)) => match &edges[which] {
                        Edge::Value(_) => 2.0 * values[node_at(end)] - plain,
                        Edge::Flux { robin: None, constant: None } | Edge::Periodic => plain,
                        Edge::Flux { robin, constant } => {
                            let [b, g] = edge_values.entry(which).or_insert_with(|| {
                                let of = |formula: &Option<Formula>| {
                                    formula.as_ref().map_or(Value::One(0.0), |formula| self.at(formula, HERE))
                                };
                                [of(robin), of(constant)]
                            });
                            let end = node_at(end);
                            let slope = g.at(end) - b.at(end) * values[end];
                            plain + 2.0 * beyond as f64 * self.grid.cell[axis] * slope
                        }
                    },
                };
            }
            value
        };
        Value::each((0..values.len()).map(&mut of).collect())
    }
}
