//! Names become what they mean, and everything is checked: equations out of a file as it is written.

use std::collections::BTreeSet;

use super::equations::{
    Auxiliary, Edge, Equations, Field, Files, Grid, Image, Named, Overrides, Parameter, Probe, Refusal, Run,
    Scheme, Split, Total, View,
};
use super::evaluate::constant;
use super::formula::{Axis, Formula, Function, Has, Node, Term, same};
use super::read::{Raw, RawEdge, RawEdgeKind, RawField, RawGrid, RawLet, RawRun, read};
use super::tree::{Kind, Tree, cure};
use super::{Evaluation, Sign};
use crate::script::{Fault, Span, nearest};

/// Parts that may lie one inside the other, those of `[let]` counted.
const MOST_DEPTH: u32 = 700;
/// Fields, and auxiliary fields: as many as a texel has components.
const MOST_FIELDS: usize = 4;

const CONSTANTS: &[&str] = &["x", "y", "t", "pi", "Lx", "Ly", "hx", "hy", "step"];
const OPERATORS: &[(&str, usize)] = &[
    ("lap", 1),
    ("laplace", 1),
    ("dx", 1),
    ("dy", 1),
    ("dxx", 1),
    ("dyy", 1),
    ("div", 1),
    ("grad", 1),
    ("adv", 3),
    ("grad2", 1),
    ("integral", 1),
    ("mean", 1),
];
const SOURCES: &[(&str, usize)] = &[("random", 0), ("normal", 0), ("picture", 1), ("array", 1)];

impl Equations {
    /// Reads and checks a file; nothing runs.
    ///
    /// # Errors
    /// Its first mistake, or an override that does not fit it.
    pub fn read(text: &str, overrides: &Overrides, files: &mut dyn Files) -> Result<Equations, Refusal> {
        resolve(read(text)?, text, overrides, files)
    }
}

/// Makes equations of a file.
fn resolve(raw: Raw, text: &str, overrides: &Overrides, files: &mut dyn Files) -> Result<Equations, Refusal> {
    let Raw { grid, mut parameters, presets, lets, fields, run, views, probes } = raw;
    set(&mut parameters, overrides)?;
    let step = match overrides.step.or(run.step) {
        Some(step) => step,
        None => return Err(fault(run.span, "[run] has no `step`").into()),
    };
    let own = run.scheme.map_or(Scheme::Sbdf2, |(scheme, _)| scheme);
    let scheme = overrides.scheme.unwrap_or(own);
    if own.is_explicit() {
        implicit_option(&run, &fields, own)?;
    }
    check_names(&parameters, &lets, &fields)?;
    let mut grid = sized(grid, overrides)?;
    let (stepped, derived) = sorted(&fields)?;
    let periodic = periodic(&fields, grid.dimensions)?;
    let mask_tree = grid.mask.take();
    let mut resolver = Resolver {
        grid: spaced(&grid, periodic),
        parameters: &parameters,
        lets: &lets,
        opened: vec![None; lets.len()],
        opening: Vec::new(),
        fields: stepped.iter().map(|field| field.name.as_str()).collect(),
        derived: derived.iter().map(|field| field.name.as_str()).collect(),
        auxiliaries: Vec::new(),
        totals: Vec::new(),
        images: Vec::new(),
        random: 0,
        used: BTreeSet::new(),
        files,
        step,
    };
    for _ in &derived {
        resolver.auxiliaries.push(None); // named ones come first, so that formulas can name them
    }
    // Every formula by name is looked at, even if nobody uses it.
    for (at, named) in lets.iter().enumerate() {
        resolver.open(at, named.span)?;
    }
    if let Some(tree) = &mask_tree {
        let formula = resolver.formula(tree, &Within::MASK)?;
        let mask = resolver.mask(&formula, tree.span)?;
        resolver.grid.mask = Some(mask);
    }
    for (at, field) in derived.iter().enumerate() {
        let auxiliary = resolver.named_auxiliary(field)?;
        resolver.auxiliaries[at] = Some(auxiliary);
    }
    let mut made = Vec::new();
    for field in &stepped {
        made.push(resolver.field(field, scheme)?);
    }
    let mut all_views = Vec::new();
    for view in &views {
        let show = resolver.formula(&view.show, &Within::SHOW)?;
        let arrows = match &view.arrows {
            Some([a, b]) => Some([resolver.formula(a, &Within::SHOW)?, resolver.formula(b, &Within::SHOW)?]),
            None => None,
        };
        let (kind, colours, range) = (view.kind, view.colours.clone(), view.range);
        all_views.push(View { show, kind, colours, range, contours: view.contours.clone(), arrows });
    }
    let mut all_probes: Vec<Probe> = Vec::new();
    for probe in &probes {
        if all_probes.iter().any(|other| other.name == probe.name) {
            let message = format!("two probes are called \"{}\"", probe.name);
            return Err(fault(probe.show.span, message).into());
        }
        let show = resolver.formula(&probe.show, &Within::SHOW)?;
        let varies = show.has.field || show.has.coordinate || show.has.operator || show.has.image;
        let node = match probe.at {
            None if varies => {
                return Err(fault(
                    probe.show.span,
                    "the value differs from node to node: expected `at`, or integral or mean of it",
                )
                .into());
            }
            None => None,
            Some((at, span)) => Some(resolver.node(at, span)?),
        };
        all_probes.push(Probe { name: probe.name.clone(), show, node });
    }
    check_closed(&resolver.auxiliaries, &fields, resolver.grid.dimensions)?;
    let opened: Vec<Formula> = std::mem::take(&mut resolver.opened).into_iter().flatten().collect();
    let Resolver { grid, auxiliaries, totals, images, used, .. } = resolver;
    let named = parameters.iter().map(|one| ("parameter", &one.name));
    let named = named.chain(lets.iter().map(|one| ("let", &one.name)));
    let unused = named.filter(|(_, name)| !used.contains(*name));
    let unused = unused.map(|(kind, name)| format!("no formula has the {kind} \"{name}\""));
    let begun = stepped.iter().all(|field| field.start.is_none());
    let begun = begun.then(|| "no field has a `start`: all begin as 0".to_owned());
    let remarks = unused.chain(begun).collect();
    let auxiliaries: Vec<Auxiliary> = auxiliaries.into_iter().flatten().collect();
    let (auxiliaries, totals) = levelled(auxiliaries, totals)?;
    let run = Run {
        scheme,
        step,
        until: overrides.until.or(run.until).unwrap_or(f64::INFINITY),
        repeat: run.repeat,
        tolerance: run.tolerance,
        advection: run.advection,
        implicit: run.implicit,
        seed: overrides.seed.or(run.seed).unwrap_or(1),
    };
    let names = lets.iter().map(|named| named.name.clone());
    let lets = names.zip(opened).map(|(name, formula)| Named { name, formula }).collect();
    let mut equations = Equations {
        grid,
        parameters,
        presets,
        lets,
        fields: made,
        auxiliaries,
        totals,
        images,
        run,
        split: None,
        choice: None,
        views: all_views,
        probes: all_probes,
        remarks,
    };
    if scheme == Scheme::Auto {
        let spectrum = equations.spectrum();
        let [limit, longer] = [Scheme::Ab2, Scheme::Rk4].map(|scheme| spectrum.limit(scheme));
        let (taken, reason) = if !spectrum.is_known() {
            (Scheme::Sbdf2, "no node tells how long a step may be".to_owned())
        } else if limit.is_infinite() {
            (Scheme::Ab2, "nothing bounds ab2".to_owned())
        } else if limit > 0.0 {
            let is_small = step < SMALL * limit;
            let side = if is_small { "below" } else { "not below" };
            let taken = if is_small { Scheme::Ab2 } else { Scheme::Sbdf2 };
            (taken, format!("step {step} is {side} {SMALL} times the limit {limit:.2e} of ab2"))
        } else {
            let is_within = step <= longer;
            let side = if is_within { "within" } else { "past" };
            let taken = if is_within { Scheme::Rk4 } else { Scheme::Sbdf2 };
            (
                taken,
                format!(
                    "waves that are not damped grow by ab2, and step {step} is {side} the limit {longer:.2e} of rk4"
                ),
            )
        };
        equations.run.scheme = taken;
        equations.choice = Some(format!("auto takes {}: {reason}", taken.name()));
    }
    if !equations.run.scheme.is_explicit() {
        let (scheme, own) = (equations.run.scheme, equations.auxiliaries.len());
        equations.split = Some(Split::of(&mut equations, scheme, text)?);
        if equations.choice.is_some() && equations.run.implicit.is_none() {
            all_implicit(&mut equations, own, text);
        }
    }
    Ok(equations)
}

/// Growth of a step that `auto` does not take: e in a thousand steps.
const GROWS: f64 = 1.001;

/// Takes `implicit = "all"` where the scheme of `auto` lets grow what it leaves to N, and that does not. So many auxiliary fields are the file's.
fn all_implicit(equations: &mut Equations, own: usize, text: &str) {
    let Run { scheme, step, .. } = equations.run;
    let growth = equations.spectrum().growth(scheme, step);
    let Some(choice) = equations.choice.clone().filter(|_| growth.factor > GROWS) else { return };
    let mut reason = ", and terms that are left to N grow";
    if growth.all_helps {
        let (split, more) = (equations.split.take(), equations.auxiliaries.split_off(own));
        equations.run.implicit = Some("all".to_owned());
        if let Ok(all) = Split::of(equations, scheme, text) {
            equations.split = Some(all);
            reason = ", with implicit = \"all\", for what is left to N would grow";
        } else {
            equations.auxiliaries.truncate(own);
            equations.auxiliaries.extend(more);
            (equations.split, equations.run.implicit) = (split, None);
        }
    }
    equations.choice = Some(choice + reason);
}

/// The share of the limit of ab2 below which its steps, of one pass, are cheaper than implicit ones.
const SMALL: f64 = 0.4;

/// Refuses what only implicit schemes have a use for in a file with another scheme.
fn implicit_option(run: &RawRun, fields: &[RawField], scheme: Scheme) -> Result<(), Fault> {
    let options = [("tolerance", run.tolerance_span), ("implicit", run.implicit_span)];
    let said = options.into_iter().find_map(|(name, span)| Some((name, span?)));
    let stabilise = fields.iter().find_map(|field| field.stabilise.first());
    match said.or(stabilise.map(|(_, span, _)| ("stabilise", *span))) {
        Some((name, span)) => {
            let message = format!("`{name}` belongs to implicit schemes, and {} is none", scheme.name());
            Err(fault(span, message))
        }
        None => Ok(()),
    }
}

fn fault(span: Span, message: impl Into<String>) -> Fault {
    Fault::new(span, message)
}

/// A question about the name that was meant: the same in other letters, or one that is near. A single letter is one from every other: of those
/// the only one is meant.
fn meant<'a>(name: &str, all: impl Iterator<Item = &'a str> + Clone) -> String {
    let same = all.clone().find(|known| known.eq_ignore_ascii_case(name));
    let is_single = |known: &&str| known.chars().count() == 1 && !CONSTANTS.contains(known);
    let mut single = all.clone().filter(is_single);
    let near = same.or_else(|| match (name.chars().count(), single.next(), single.next()) {
        (1, only, None) => only,
        (1, ..) => None,
        _ => nearest(name, all),
    });
    near.map_or(String::new(), |near| format!("; did you mean \"{near}\"?"))
}

/// Puts the values of the command line in the place of the file's.
fn set(parameters: &mut [Parameter], overrides: &Overrides) -> Result<(), Refusal> {
    for (name, value) in &overrides.set {
        let names: Vec<String> = parameters.iter().map(|parameter| parameter.name.clone()).collect();
        let Some(parameter) = parameters.iter_mut().find(|parameter| parameter.name == *name) else {
            let hint = match nearest(name, names.iter().map(String::as_str)) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None if names.is_empty() => "there are none".to_owned(),
                None => format!("there are {}", names.join(", ")),
            };
            return Err(Refusal::Override(format!("\"{name}\" is no parameter; {hint}")));
        };
        if let Some([least, most]) = parameter.range.filter(|[least, most]| !(*least..=*most).contains(value))
        {
            return Err(Refusal::Override(format!(
                "{name} = {value} is outside its range {least} to {most}"
            )));
        }
        parameter.value = *value;
    }
    Ok(())
}

fn sized(grid: RawGrid, overrides: &Overrides) -> Result<RawGrid, Refusal> {
    let Some(size) = overrides.size else { return Ok(grid) };
    let is_line = size[1] == 1;
    if is_line != (grid.dimensions == 1) {
        let (found, domain, expected) = match grid.dimensions {
            1 => (format!("{}x{}", size[0], size[1]), "a line", size[0].to_string()),
            _ => (size[0].to_string(), "a rectangle", format!("{0}x{0}", size[0])),
        };
        return Err(Refusal::Override(format!(
            "size {found}: the file's domain is {domain}, expected nodes as in {expected}"
        )));
    }
    if size[..grid.dimensions].iter().any(|side| *side < 3) {
        return Err(Refusal::Override("the size is below 3 nodes".to_owned()));
    }
    Ok(RawGrid { size, ..grid })
}

fn spaced(grid: &RawGrid, periodic: [bool; 2]) -> Grid {
    let mut cell = [1.0; 2];
    for axis in 0..grid.dimensions {
        let gaps = grid.size[axis] - u32::from(!periodic[axis]);
        cell[axis] = grid.length[axis] / f64::from(gaps);
    }
    let RawGrid { size, dimensions, length, origin, .. } = *grid;
    Grid { size, dimensions, length, origin, cell, periodic, mask: None }
}

/// Names mean one thing each.
fn check_names(parameters: &[Parameter], lets: &[RawLet], fields: &[RawField]) -> Result<(), Fault> {
    let parameters = parameters.iter().map(|parameter| (&parameter.name, parameter.span, "a parameter"));
    let lets = lets.iter().map(|named| (&named.name, named.span, "a let"));
    let fields = fields.iter().map(|field| (&field.name, field.span, "a field"));
    let all: Vec<(&String, Span, &str)> = parameters.chain(lets).chain(fields).collect();
    for (at, (name, span, _)) in all.iter().enumerate() {
        let called = |known: &str| known == name.as_str();
        let taken = if CONSTANTS.iter().any(|known| called(known)) {
            Some("it has a meaning of its own")
        } else if Function::ALL.iter().any(|(known, ..)| called(known))
            || OPERATORS.iter().chain(SOURCES).any(|(known, _)| called(known))
        {
            Some("a function is called so")
        } else {
            None
        };
        if let Some(taken) = taken {
            return Err(fault(*span, format!("\"{name}\" is taken: {taken}")));
        }
        if let Some((.., what)) = all[..at].iter().find(|(other, ..)| other == name) {
            return Err(fault(*span, format!("\"{name}\" is taken: {what} is called so")));
        }
    }
    Ok(())
}

/// Fields that step, and fields that are formulas of them.
fn sorted(fields: &[RawField]) -> Result<(Vec<&RawField>, Vec<&RawField>), Fault> {
    for field in fields {
        let RawField { name, span, dt, is, start, noise, exact, .. } = field;
        match (dt, is) {
            (Some(_), Some(_)) => {
                return Err(fault(*span, format!("\"{name}\" has both `dt` and `is`: expected one of them")));
            }
            (None, None) => {
                return Err(fault(
                    *span,
                    format!("\"{name}\" has neither `dt` nor `is`: expected one of them"),
                ));
            }
            (None, Some(_)) => {
                let only = [("start", start), ("noise", noise), ("exact", exact)];
                if let Some((key, tree)) = only.iter().find_map(|(key, tree)| Some((key, tree.as_ref()?))) {
                    let message =
                        format!("\"{name}\" is a formula of other fields: only one with `dt` has `{key}`");
                    return Err(fault(tree.span, message));
                }
            }
            (Some(_), None) => {
                if let Some((_, span, _)) = field.stabilise.first() {
                    return Err(fault(*span, "`stabilise` belongs to a field with `is`"));
                }
            }
        }
    }
    let (stepped, derived): (Vec<&RawField>, Vec<&RawField>) =
        fields.iter().partition(|field| field.dt.is_some());
    if stepped.is_empty() {
        return Err(fault(Span::default(), "no field has `dt`: expected 1 to 4 that have"));
    }
    for (list, what) in [(&stepped, "`dt`"), (&derived, "`is`")] {
        if let Some(field) = list.get(MOST_FIELDS) {
            return Err(fault(field.span, format!("more than {MOST_FIELDS} fields have {what}")));
        }
    }
    Ok((stepped, derived))
}

/// Axes along which the domain is a ring: for all fields and on both sides, or for none.
fn periodic(fields: &[RawField], dimensions: usize) -> Result<[bool; 2], Fault> {
    let mut periodic = [false; 2];
    for (axis, letter) in ["x", "y"].iter().enumerate().take(dimensions) {
        let is_ring =
            |edge: &Option<RawEdge>| matches!(edge, Some(RawEdge { kind: RawEdgeKind::Periodic, .. }));
        let mut first: Option<(&RawField, bool)> = None;
        for field in fields {
            let [low, high] = [2 * axis, 2 * axis + 1].map(|side| &field.edges[side]);
            let names = [["left", "right"], ["bottom", "top"]][axis];
            if is_ring(low) != is_ring(high) {
                let at = usize::from(is_ring(high));
                let span = [low, high][at].as_ref().map_or(field.span, |edge| edge.span);
                let message = format!("{letter} is periodic on the side {} alone", names[at]);
                return Err(fault(span, message));
            }
            match first {
                None => first = Some((field, is_ring(low))),
                Some((before, ring)) if ring != is_ring(low) => {
                    let (with, without) = if ring { (before, field) } else { (field, before) };
                    let message =
                        format!("{letter} is periodic for {} and not for {}", with.name, without.name);
                    let span = low.as_ref().map_or(field.span, |edge| edge.span);
                    return Err(fault(span, message));
                }
                Some(_) => {}
            }
        }
        periodic[axis] = first.is_some_and(|(_, ring)| ring);
    }
    for field in fields {
        if let Some(RawEdge { kind: RawEdgeKind::Periodic, span }) = &field.edges[4] {
            return Err(fault(*span, "a mask is not periodic: expected \"neumann\" or { value = \"e\" }"));
        }
    }
    Ok(periodic)
}

/// An operator's argument that became an auxiliary field has no edges of its own: those of all fields have to be closed.
fn check_closed(
    auxiliaries: &[Option<Auxiliary>],
    fields: &[RawField],
    dimensions: usize,
) -> Result<(), Fault> {
    let closed = |edge: &Option<RawEdge>| {
        matches!(edge, None | Some(RawEdge { kind: RawEdgeKind::Neumann | RawEdgeKind::Periodic, .. }))
    };
    let all = fields.iter().all(|field| field.edges[..2 * dimensions].iter().all(closed));
    match auxiliaries.iter().flatten().find(|auxiliary| auxiliary.name.is_none()) {
        Some(made) if !all => {
            let message = "an operator of an operator: name the inner one by a field with `is`, which has edges of its own";
            Err(fault(made.is.span, message))
        }
        _ => Ok(()),
    }
}

/// The contents that a formula may have where it stands.
struct Within {
    /// Its name in messages.
    what: &'static str,
    allowed: Has,
}

const ALL: Has = Has {
    operator: true,
    total: true,
    random: false,
    field: true,
    coordinate: true,
    time: true,
    step: true,
    parameter: true,
    image: true,
};
const PLAIN: Has = Has { operator: false, total: false, field: false, ..ALL };

impl Within {
    const RATE: Within = Within { what: "a right side", allowed: ALL };
    const SHOW: Within = Within { what: "a view or a probe", allowed: ALL };
    const NOISE: Within = Within { what: "`noise`", allowed: Has { operator: false, ..ALL } };
    const START: Within = Within { what: "`start`", allowed: Has { random: true, ..PLAIN } };
    const EXACT: Within = Within { what: "`exact`", allowed: PLAIN };
    const EDGE: Within = Within { what: "an edge", allowed: Has { image: false, ..PLAIN } };
    const MASK: Within = Within { what: "a mask", allowed: Has { time: false, step: false, ..PLAIN } };
    const CONSTANT: Within = Within {
        what: "`stabilise`",
        allowed: Has { coordinate: false, time: false, image: false, ..PLAIN },
    };

    /// The first part that may not stand here.
    fn check(&self, node: &Node) -> Result<(), Fault> {
        let Has { operator, total, random, field, coordinate, time, step, image, .. } = node.has;
        let no = self.allowed;
        let what = self.what;
        let refused = [
            (random && !no.random, "random() and normal() stand in `start` alone".to_owned()),
            (operator && !no.operator, format!("{what} has no operators")),
            (total && !no.total, format!("{what} has no integrals")),
            (
                field && !no.field,
                format!("{what} has no fields: expected a formula of x, y, t and parameters"),
            ),
            (coordinate && !no.coordinate, format!("{what} is one number: expected no x and y")),
            (time && !no.time, format!("{what} does not change with t")),
            (step && !no.step, format!("{what} does not depend on the step")),
            (image && !no.image, format!("{what} has no pictures and arrays")),
        ];
        let Some((_, message)) = refused.iter().find(|(refused, _)| *refused) else { return Ok(()) };
        let whole = matches!(node.term, Term::Let(..)) || operator && !no.operator && node.term.is_operator();
        if !whole {
            for part in node.term.parts() {
                self.check(part)?;
            }
        }
        Err(fault(node.span, message.clone()))
    }
}

struct Resolver<'r> {
    grid: Grid,
    parameters: &'r [Parameter],
    lets: &'r [RawLet],
    opened: Vec<Option<Formula>>,
    /// Those that are being opened, outermost first.
    opening: Vec<usize>,
    fields: Vec<&'r str>,
    derived: Vec<&'r str>,
    auxiliaries: Vec<Option<Auxiliary>>,
    totals: Vec<Total>,
    images: Vec<Image>,
    random: usize,
    /// Names of parameters and lets that formulas have.
    used: BTreeSet<String>,
    files: &'r mut dyn Files,
    step: f64,
}

impl Resolver<'_> {
    fn formula(&mut self, tree: &Tree, within: &Within) -> Result<Formula, Fault> {
        let formula = self.node_of(tree)?;
        within.check(&formula)?;
        Ok(formula)
    }

    /// The number of a formula without fields, places and time.
    fn constant(&self, node: &Node) -> Option<f64> {
        let values: Vec<f64> = self.parameters.iter().map(|parameter| parameter.value).collect();
        constant(node, &values, self.step)
    }

    fn made(&self, term: Term, span: Span) -> Result<Formula, Fault> {
        let node = Node::new(term, span);
        if node.depth > MOST_DEPTH {
            return Err(fault(span, format!("more than {MOST_DEPTH} operations lie one inside the other")));
        }
        Ok(node)
    }

    /// The contents of a formula by name.
    fn open(&mut self, at: usize, used: Span) -> Result<Formula, Fault> {
        if let Some(known) = &self.opened[at] {
            return Ok(known.clone());
        }
        if let Some(begin) = self.opening.iter().position(|open| *open == at) {
            let names: Vec<&str> =
                self.opening[begin..].iter().chain([&at]).map(|at| self.lets[*at].name.as_str()).collect();
            return Err(fault(used, format!("a formula names itself: {}", names.join(" -> "))));
        }
        self.opening.push(at);
        let lets = self.lets;
        let made = self.node_of(&lets[at].tree)?;
        self.opening.pop();
        self.opened[at] = Some(made.clone());
        Ok(made)
    }

    fn node_of(&mut self, tree: &Tree) -> Result<Formula, Fault> {
        let span = tree.span;
        match &tree.kind {
            Kind::Number(value) => self.made(Term::Number(*value), span),
            Kind::Name(name) => self.name(name, span),
            Kind::Text(_) => {
                Err(fault(span, "a text stands in picture(\"f.png\") and array(\"f.npy\") alone"))
            }
            Kind::Minus(inner) => {
                let inner = self.node_of(inner)?;
                self.made(Term::Minus(inner), span)
            }
            Kind::Pair(sign, left, right) => {
                let (left, right) = (self.node_of(left)?, self.node_of(right)?);
                if *sign == Sign::Over && self.constant(&right) == Some(0.0) {
                    return Err(fault(right.span, "division by 0"));
                }
                self.made(Term::Pair(*sign, left, right), span)
            }
            Kind::Call(name, place, arguments) => self.call(name, *place, arguments, span),
        }
    }

    fn name(&mut self, name: &str, span: Span) -> Result<Formula, Fault> {
        if self.grid.dimensions == 1 && ["y", "Ly", "hy"].contains(&name) {
            return Err(fault(span, format!("\"{name}\": a line has x alone")));
        }
        let find = |names: &[&str]| names.iter().position(|known| *known == name);
        let term = match name {
            "x" => Term::Coordinate(Axis::X),
            "y" => Term::Coordinate(Axis::Y),
            "t" => Term::Time,
            "step" => Term::Step,
            "pi" => Term::Number(std::f64::consts::PI),
            "Lx" => Term::Number(self.grid.length[0]),
            "Ly" => Term::Number(self.grid.length[1]),
            "hx" => Term::Number(self.grid.cell[0]),
            "hy" => Term::Number(self.grid.cell[1]),
            _ => {
                if let Some(at) = find(&self.fields) {
                    Term::Field(at)
                } else if let Some(at) = find(&self.derived) {
                    Term::Auxiliary(at)
                } else if let Some(at) = self.parameters.iter().position(|known| known.name == name) {
                    self.used.insert(name.to_owned());
                    Term::Parameter(at)
                } else if let Some(at) = self.lets.iter().position(|known| known.name == name) {
                    self.used.insert(name.to_owned());
                    Term::Let(at, self.open(at, span)?)
                } else {
                    return Err(self.unknown(name, span));
                }
            }
        };
        self.made(term, span)
    }

    fn unknown(&self, name: &str, span: Span) -> Fault {
        if OPERATORS.iter().chain(SOURCES).any(|(known, _)| *known == name)
            || Function::ALL.iter().any(|(known, ..)| *known == name)
        {
            return fault(span, format!("\"{name}\" is a function: expected `(` behind it"));
        }
        let own = self.fields.iter().chain(&self.derived).copied();
        let parameters = self.parameters.iter().map(|parameter| parameter.name.as_str());
        let lets = self.lets.iter().map(|named| named.name.as_str());
        let all = own.chain(parameters).chain(lets).chain(CONSTANTS.iter().copied());
        let hint = match name.chars().next() {
            Some(first) if !first.is_ascii() => cure(first).to_owned(),
            _ => meant(name, all),
        };
        fault(span, format!("\"{name}\" is no field, parameter or let{hint}"))
    }

    fn call(&mut self, name: &str, place: Span, arguments: &[Tree], span: Span) -> Result<Formula, Fault> {
        let function = Function::ALL.iter().find(|(known, ..)| *known == name);
        let other = OPERATORS.iter().chain(SOURCES).find(|(known, _)| *known == name);
        let Some(expected) = function.map(|(.., count)| *count).or(other.map(|(_, count)| *count)) else {
            let known = self.fields.iter().chain(&self.derived).any(|known| *known == name)
                || CONSTANTS.contains(&name)
                || self.parameters.iter().any(|known| known.name == name)
                || self.lets.iter().any(|known| known.name == name);
            if known {
                return Err(fault(
                    place,
                    format!("\"{name}\" is no function: a product is written with `*`"),
                ));
            }
            let functions = Function::ALL.iter().map(|(known, ..)| *known);
            let all = functions.chain(OPERATORS.iter().chain(SOURCES).map(|(known, _)| *known));
            let hint = meant(name, all);
            return Err(fault(place, format!("\"{name}\" is no function{hint}")));
        };
        if arguments.len() != expected {
            let counted = match expected {
                0 => "no arguments".to_owned(),
                1 => "1 argument".to_owned(),
                n => format!("{n} arguments"),
            };
            return Err(fault(span, format!("{name} takes {counted}, found {}", arguments.len())));
        }
        if let Some((_, function, _)) = function {
            let arguments = arguments.iter().map(|tree| self.node_of(tree)).collect::<Result<Vec<_>, _>>()?;
            return self.made(Term::Call(*function, arguments), span);
        }
        if self.grid.dimensions == 1 && ["dy", "dyy"].contains(&name) {
            return Err(fault(place, format!("{name}: a line has x alone")));
        }
        match name {
            "random" | "normal" => {
                self.random += 1;
                let at = self.random - 1;
                self.made(if name == "random" { Term::Random(at) } else { Term::Normal(at) }, span)
            }
            "picture" | "array" => self.image(name, &arguments[0], span),
            "integral" | "mean" => {
                let of = self.node_of(&arguments[0])?;
                let random = Within { what: "an integral", allowed: Has { total: true, ..ALL } };
                random.check(&of)?;
                self.totals.push(Total { of, mean: name == "mean", level: 0 });
                self.made(Term::Total(self.totals.len() - 1), span)
            }
            "grad" => Err(fault(span, "grad stands in div(D*grad(e)) alone; |grad e|^2 is grad2(e)")),
            "div" => {
                let Some((factors, inner)) = gradient(&arguments[0]) else {
                    return Err(fault(
                        arguments[0].span,
                        "div takes D*grad(e): expected a product with one grad",
                    ));
                };
                let inner = self.argument(inner)?;
                let factor = match factors {
                    None => self.made(Term::Number(1.0), span)?,
                    Some(tree) => self.argument(&tree)?,
                };
                self.made(Term::Div(factor, inner), span)
            }
            "adv" => {
                let parts =
                    arguments.iter().map(|tree| self.argument(tree)).collect::<Result<Vec<_>, _>>()?;
                let [a, b, u] = [parts[0].clone(), parts[1].clone(), parts[2].clone()];
                self.made(Term::Adv(a, b, u), span)
            }
            _ => {
                let inner = self.argument(&arguments[0])?;
                let term = match name {
                    "dx" => Term::First(Axis::X, inner),
                    "dy" => Term::First(Axis::Y, inner),
                    "dxx" => Term::Second(Axis::X, inner),
                    "dyy" => Term::Second(Axis::Y, inner),
                    "grad2" => Term::Grad2(inner),
                    _ => Term::Lap(inner),
                };
                self.made(term, span)
            }
        }
    }

    /// The argument of an operator: one that has operators itself becomes an auxiliary field.
    fn argument(&mut self, tree: &Tree) -> Result<Formula, Fault> {
        let node = self.node_of(tree)?;
        if !node.has.operator {
            return Ok(node);
        }
        let known = self.auxiliaries.iter().position(|auxiliary| {
            auxiliary.as_ref().is_some_and(|known| known.name.is_none() && same(&known.is, &node))
        });
        let at = match known {
            Some(at) => at,
            None => {
                if self.auxiliaries.len() == MOST_FIELDS {
                    let message =
                        format!("more than {MOST_FIELDS} auxiliary fields: operators of operators count too");
                    return Err(fault(node.span, message));
                }
                self.auxiliaries.push(None);
                self.auxiliaries.len() - 1
            }
        };
        if self.auxiliaries[at].is_none() {
            // Its edges are checked when all fields are known.
            let flux = || Edge::Flux { robin: None, constant: None };
            let edges =
                [0, 1, 2, 3].map(|side| if self.grid.periodic[side / 2] { Edge::Periodic } else { flux() });
            let made = Auxiliary {
                name: None,
                is: node.clone(),
                edges,
                mask: flux(),
                stabilise: Vec::new(),
                level: 0,
            };
            self.auxiliaries[at] = Some(made);
        }
        self.made(Term::Auxiliary(at), node.span)
    }

    fn image(&mut self, kind: &str, argument: &Tree, span: Span) -> Result<Formula, Fault> {
        let Kind::Text(name) = &argument.kind else {
            return Err(fault(argument.span, format!("{kind} takes the name of a file between quotes")));
        };
        let size = self.grid.size;
        let place = argument.span;
        let found = self.images.iter().position(|image| image.name == *name);
        let at = match found {
            Some(at) => at,
            None => {
                if self.images.len() == MOST_FIELDS {
                    return Err(fault(place, format!("more than {MOST_FIELDS} pictures and arrays")));
                }
                let values = if kind == "picture" {
                    let rows = self.files.picture(name, size).map_err(|line| fault(place, line))?;
                    rows.chunks(size[0] as usize).rev().flatten().copied().collect()
                } else {
                    self.files.array(name, size).map_err(|line| fault(place, line))?
                };
                if values.len() != self.grid.nodes() {
                    let message = format!("{name}: {} values, expected {}", values.len(), self.grid.nodes());
                    return Err(fault(place, message));
                }
                self.images.push(Image { name: name.clone(), values });
                self.images.len() - 1
            }
        };
        self.made(Term::Image(at), span)
    }

    fn mask(&self, formula: &Formula, span: Span) -> Result<Vec<bool>, Fault> {
        let values: Vec<f64> = self.parameters.iter().map(|parameter| parameter.value).collect();
        let inside: Vec<bool> = Evaluation::plain(&self.grid, &self.images, &values, self.step, 0)
            .values(formula)
            .iter()
            .map(|value| *value > 0.5)
            .collect();
        if !inside.contains(&true) {
            return Err(fault(span, "no node lies inside the mask: it is above 0.5 nowhere"));
        }
        Ok(inside)
    }

    fn edges(&mut self, field: &RawField) -> Result<([Edge; 4], Edge), Fault> {
        let mut all = Vec::new();
        for (side, edge) in field.edges.iter().enumerate() {
            let Some(RawEdge { kind, span }) = edge else {
                all.push(Edge::Flux { robin: None, constant: None });
                continue;
            };
            let masked = side == 4;
            all.push(match kind {
                RawEdgeKind::Periodic => Edge::Periodic,
                RawEdgeKind::Neumann => Edge::Flux { robin: None, constant: None },
                RawEdgeKind::Value(tree) => Edge::Value(self.formula(tree, &Within::EDGE)?),
                RawEdgeKind::Derivative(_) | RawEdgeKind::Robin(..) if masked => {
                    return Err(fault(
                        *span,
                        "the edge of a mask is a staircase: expected \"neumann\" or { value = \"e\" }",
                    ));
                }
                RawEdgeKind::Derivative(tree) => {
                    let constant = self.formula(tree, &Within::EDGE)?;
                    let zero = self.constant(&constant) == Some(0.0) && !constant.has.parameter;
                    Edge::Flux { robin: None, constant: (!zero).then_some(constant) }
                }
                RawEdgeKind::Robin(b, g) => {
                    let b = self.formula(b, &Within::EDGE)?;
                    if let Some(value) = self.constant(&b).filter(|value| *value < 0.0) {
                        return Err(fault(b.span, format!("robin b = {value}: expected 0 or more")));
                    }
                    let g = self.formula(g, &Within::EDGE)?;
                    Edge::Flux { robin: Some(b), constant: Some(g) }
                }
            });
        }
        let mask = all.pop().unwrap_or(Edge::Flux { robin: None, constant: None });
        let edges = <[Edge; 4]>::try_from(all);
        let edges = edges.map_err(|_| fault(field.span, "a field has four sides"))?;
        Ok((edges, mask))
    }

    fn named_auxiliary(&mut self, field: &RawField) -> Result<Auxiliary, Fault> {
        let (edges, mask) = self.edges(field)?;
        let is = match &field.is {
            Some(tree) => self.formula(tree, &Within::RATE)?,
            None => return Err(fault(field.span, "no `is`")),
        };
        let mut stabilise = Vec::new();
        for (name, span, tree) in &field.stabilise {
            let Some(at) = self.fields.iter().position(|known| known == name) else {
                return Err(fault(*span, format!("\"{name}\" is no field with `dt`")));
            };
            stabilise.push((at, self.formula(tree, &Within::CONSTANT)?));
        }
        Ok(Auxiliary { name: Some(field.name.clone()), is, edges, mask, stabilise, level: 0 })
    }

    fn field(&mut self, field: &RawField, scheme: Scheme) -> Result<Field, Fault> {
        let (edges, mask) = self.edges(field)?;
        let dt = match &field.dt {
            Some(tree) => self.formula(tree, &Within::RATE)?,
            None => return Err(fault(field.span, "no `dt`")),
        };
        let mut optional = |tree: &Option<Tree>, within: &Within| -> Result<Option<Formula>, Fault> {
            tree.as_ref().map(|tree| self.formula(tree, within)).transpose()
        };
        let (start, exact) =
            (optional(&field.start, &Within::START)?, optional(&field.exact, &Within::EXACT)?);
        let noise = optional(&field.noise, &Within::NOISE)?;
        if let Some(noise) = &noise
            && !matches!(scheme, Scheme::Euler | Scheme::ImexEuler | Scheme::Cn)
        {
            let message =
                format!("noise with the scheme {}: expected euler, imex-euler or cn", scheme.name());
            return Err(fault(noise.span, message));
        }
        Ok(Field { name: field.name.clone(), dt, start, edges, mask, noise, exact })
    }

    /// The node nearest to a place.
    fn node(&self, at: [f64; 2], span: Span) -> Result<usize, Fault> {
        let Grid { size, origin, cell, length, dimensions, .. } = &self.grid;
        let mut index = [0; 2];
        for axis in 0..*dimensions {
            let from = at[axis] - origin[axis];
            if !(0.0..=length[axis]).contains(&from) {
                let end = origin[axis] + length[axis];
                let message = format!("{} lies outside {} to {end}", at[axis], origin[axis]);
                return Err(fault(span, message));
            }
            index[axis] = (from / cell[axis]).round() as usize % size[axis] as usize;
        }
        let node = index[1] * size[0] as usize + index[0];
        if self.grid.mask.as_ref().is_some_and(|mask| !mask[node]) {
            return Err(fault(span, "lies outside the mask"));
        }
        Ok(node)
    }
}

/// The factor of the one `grad` of a product, and what it is the gradient of.
fn gradient(tree: &Tree) -> Option<(Option<Tree>, &Tree)> {
    let pair = |sign, left: Option<Tree>, right: Option<Tree>| match (left, right) {
        (Some(left), Some(right)) => {
            let span = left.span.to(right.span);
            Some(Tree { kind: Kind::Pair(sign, Box::new(left), Box::new(right)), span })
        }
        (left, right) => left.or(right),
    };
    match &tree.kind {
        Kind::Call(name, _, arguments) if name == "grad" => match &arguments[..] {
            [inner] => Some((None, inner)),
            _ => None,
        },
        Kind::Minus(inner) => {
            let (factor, of) = gradient(inner)?;
            let one = Tree { kind: Kind::Number(1.0), span: tree.span };
            let factor = factor.unwrap_or(one);
            Some((Some(Tree { kind: Kind::Minus(Box::new(factor)), span: tree.span }), of))
        }
        Kind::Pair(Sign::Times, left, right) => match (gradient(left), gradient(right)) {
            (Some((factor, of)), None) => Some((pair(Sign::Times, factor, Some(right.as_ref().clone())), of)),
            (None, Some((factor, of))) => Some((pair(Sign::Times, Some(left.as_ref().clone()), factor), of)),
            _ => None,
        },
        Kind::Pair(Sign::Over, left, right) => {
            let (factor, of) = gradient(left)?;
            let one = Tree { kind: Kind::Number(1.0), span: tree.span };
            Some((pair(Sign::Over, Some(factor.unwrap_or(one)), Some(right.as_ref().clone())), of))
        }
        _ => None,
    }
}

/// Sets the levels of auxiliary fields and totals.
fn levelled(
    mut auxiliaries: Vec<Auxiliary>,
    mut totals: Vec<Total>,
) -> Result<(Vec<Auxiliary>, Vec<Total>), Fault> {
    /// A formula that needs others.
    #[derive(Clone, Copy, PartialEq)]
    enum Derived {
        Auxiliary(usize),
        Total(usize),
    }
    fn level(
        of: Derived,
        auxiliaries: &mut [Auxiliary],
        totals: &mut [Total],
        way: &mut Vec<Derived>,
    ) -> Result<usize, Fault> {
        let (known, formula) = match of {
            Derived::Auxiliary(at) => (auxiliaries[at].level, auxiliaries[at].is.clone()),
            Derived::Total(at) => (totals[at].level, totals[at].of.clone()),
        };
        if known > 0 {
            return Ok(known);
        }
        if let Some(begin) = way.iter().position(|other| *other == of) {
            let name = |of: &Derived| match of {
                Derived::Auxiliary(at) => auxiliaries[*at].name.clone().unwrap_or("an operator".to_owned()),
                Derived::Total(_) => "an integral".to_owned(),
            };
            let names: Vec<String> = way[begin..].iter().chain([&of]).map(name).collect();
            return Err(fault(formula.span, format!("a formula names itself: {}", names.join(" -> "))));
        }
        way.push(of);
        let mut needs = Vec::new();
        formula.visit(&mut |node| match node.term {
            Term::Auxiliary(at) => needs.push(Derived::Auxiliary(at)),
            Term::Total(at) => needs.push(Derived::Total(at)),
            _ => {}
        });
        let mut found = 0;
        for need in needs {
            found = found.max(level(need, auxiliaries, totals, way)?);
        }
        way.pop();
        match of {
            Derived::Auxiliary(at) => auxiliaries[at].level = found + 1,
            Derived::Total(at) => totals[at].level = found + 1,
        }
        Ok(found + 1)
    }
    let each = (0..auxiliaries.len()).map(Derived::Auxiliary).chain((0..totals.len()).map(Derived::Total));
    for of in each.collect::<Vec<_>>() {
        level(of, &mut auxiliaries, &mut totals, &mut Vec::new())?;
    }
    Ok((auxiliaries, totals))
}
