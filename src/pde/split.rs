//! The split of right sides into J u, which implicit steps solve for, and the rest N, by the trees of the formulas.
//!
//! A right side is a sum of terms. J takes those with a constant coefficient and ∇² of a field or of a linear auxiliary field, and of a
//! field's own undifferentiated terms what decays fast, or beside ∇⁴; `implicit = "all"` and the scheme `cn` take all that are linear with constant
//! coefficients. Terms without fields that change with t are S. The rest is N. All three are formulas again, so that kernels and the
//! interpreter know no other arithmetic than before; coefficients stay formulas of parameters, which may move while a run goes on.

use super::Sign;
use super::equations::{Alike, Auxiliary, Edge, Equations, Scheme, Split};
use super::evaluate::{Evaluation, constant};
use super::formula::{Axis, Formula, Function, Node, Term, same};
use crate::script::{Fault, Span};
use crate::solve::{self, LinearPart};
use crate::{Error, Result};

/// k Δt above which a decay −k u is implicit: an explicit one of `sbdf2` is stable up to 4/3.
const FAST: f64 = 0.5;

/// A coefficient and what it is multiplied with.
struct Part {
    coefficient: Formula,
    core: Formula,
}

/// The linear part of an auxiliary field.
#[derive(Default)]
struct Row {
    /// Coefficients of a column, and of its ∇².
    constant: Vec<(Column, Formula)>,
    lap: Vec<(Column, Formula)>,
    /// Terms that are not linear, or that `stabilise` replaces.
    rest: Vec<Part>,
}

/// The field that a coefficient belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Column {
    Field(usize),
    Auxiliary(usize),
}

fn number(value: f64) -> Formula {
    Node::new(Term::Number(value), Span::default())
}

fn pair(sign: Sign, a: &Formula, b: &Formula) -> Formula {
    match (sign, plain(a), plain(b)) {
        (Sign::Times, Some(1.0), _) => return b.clone(),
        (Sign::Times, Some(-1.0), _) => return folded(Node::new(Term::Minus(b.clone()), b.span)),
        (Sign::Times | Sign::Over, _, Some(1.0)) => return a.clone(),
        _ => {}
    }
    folded(Node::new(Term::Pair(sign, a.clone(), b.clone()), a.span))
}

/// The number that a formula is whatever the parameters are.
fn plain(formula: &Node) -> Option<f64> {
    let has = formula.has;
    if has.parameter || has.step { None } else { constant(formula, &[], 0.0) }
}

fn folded(formula: Formula) -> Formula {
    match plain(&formula) {
        Some(value) => Node::new(Term::Number(value), formula.span),
        None => formula,
    }
}

fn times(coefficient: &Formula, core: &Formula) -> Formula {
    match plain(coefficient) {
        Some(1.0) => core.clone(),
        Some(-1.0) => Node::new(Term::Minus(core.clone()), core.span),
        _ => Node::new(Term::Pair(Sign::Times, coefficient.clone(), core.clone()), core.span),
    }
}

fn added(sum: &mut Option<Formula>, term: Formula) {
    *sum = Some(match sum.take() {
        None => term,
        Some(sum) => folded(Node::new(Term::Pair(Sign::Add, sum, term), Span::default())),
    });
}

/// The terms of a sum, each times a coefficient.
fn expand(node: &Formula, by: &Formula, is_line: bool, all: &mut Vec<Part>) {
    let whole = |all: &mut Vec<Part>| all.push(Part { coefficient: by.clone(), core: node.clone() });
    if node.has.is_constant() {
        return whole(all);
    }
    match &node.term {
        Term::Let(_, inner) => expand(inner, by, is_line, all),
        Term::Minus(inner) => expand(inner, &pair(Sign::Times, &number(-1.0), by), is_line, all),
        Term::Pair(sign @ (Sign::Add | Sign::Subtract), a, b) => {
            expand(a, by, is_line, all);
            let by = if *sign == Sign::Add { by.clone() } else { pair(Sign::Times, &number(-1.0), by) };
            expand(b, &by, is_line, all);
        }
        Term::Pair(Sign::Times, a, b) if a.has.is_constant() => {
            expand(b, &pair(Sign::Times, by, a), is_line, all);
        }
        Term::Pair(Sign::Times, a, b) if b.has.is_constant() => {
            expand(a, &pair(Sign::Times, by, b), is_line, all);
        }
        Term::Pair(Sign::Over, a, b) if b.has.is_constant() => {
            expand(a, &pair(Sign::Over, by, b), is_line, all)
        }
        Term::Lap(e) => second_orders(e, None, by, is_line, all),
        Term::Second(Axis::X, e) if is_line => second_orders(e, None, by, is_line, all),
        Term::Div(d, e) if d.has.is_constant() => {
            second_orders(e, None, &pair(Sign::Times, by, d), is_line, all);
        }
        Term::Div(d, e) => second_orders(e, Some((d, node.span)), by, is_line, all),
        _ => whole(all),
    }
}

/// ∇² of a sum, or its divergence with a D, with fields apart from what else there is.
fn second_orders(
    of: &Formula,
    d: Option<(&Formula, Span)>,
    by: &Formula,
    is_line: bool,
    all: &mut Vec<Part>,
) {
    let mut parts = Vec::new();
    expand(of, &number(1.0), is_line, &mut parts);
    let made = |of: Formula, span: Span| match d {
        None => Node::new(Term::Lap(of), span),
        Some((d, whole)) => Node::new(Term::Div(d.clone(), of), whole),
    };
    let mut rest = None;
    for Part { coefficient, core } in parts {
        if matches!(core.term, Term::Field(_) | Term::Auxiliary(_)) {
            let core = made(core.clone(), core.span);
            all.push(Part { coefficient: pair(Sign::Times, by, &coefficient), core });
        } else if !core.has.is_constant() {
            added(&mut rest, times(&coefficient, &core));
        }
    }
    if let Some(rest) = rest {
        all.push(Part { coefficient: by.clone(), core: made(rest, of.span) });
    }
}

/// The field that a formula is.
fn column(node: &Node) -> Option<Column> {
    match node.opened().term {
        Term::Field(at) => Some(Column::Field(at)),
        Term::Auxiliary(at) => Some(Column::Auxiliary(at)),
        _ => None,
    }
}

/// Fields that a sum has undifferentiated with a constant coefficient, and that.
pub(super) fn linear_terms(
    sum: &Formula,
    equations: &Equations,
    parameters: &[f64],
    step: f64,
) -> Vec<(usize, f64)> {
    let mut parts = Vec::new();
    expand(sum, &number(1.0), equations.grid.dimensions == 1, &mut parts);
    let value = |part: &Part| match column(&part.core) {
        Some(Column::Field(at)) => Some((at, constant(&part.coefficient, parameters, step)?)),
        _ => None,
    };
    parts.iter().filter_map(value).collect()
}

/// Returns true if a formula is linear in fields, whatever its coefficients are.
fn is_linear(node: &Node) -> bool {
    if !node.has.field && !node.has.total {
        return true;
    }
    let free = |part: &Formula| !part.has.field && !part.has.total;
    match &node.term {
        Term::Field(_) | Term::Auxiliary(_) | Term::Total(_) => true,
        Term::Let(_, a) | Term::Minus(a) | Term::Lap(a) | Term::First(_, a) | Term::Second(_, a) => {
            is_linear(a)
        }
        Term::Pair(Sign::Add | Sign::Subtract, a, b) => is_linear(a) && is_linear(b),
        Term::Pair(Sign::Times, a, b) => (free(a) && is_linear(b)) || (free(b) && is_linear(a)),
        Term::Pair(Sign::Over, a, b) => free(b) && is_linear(a),
        Term::Div(d, a) => free(d) && is_linear(a),
        Term::Adv(a, b, u) => free(a) && free(b) && is_linear(u),
        _ => false,
    }
}

/// Returns true if what an edge says changes with t.
fn moves(edge: &Edge) -> bool {
    match edge {
        Edge::Periodic => false,
        Edge::Value(formula) => formula.has.time,
        Edge::Flux { robin, constant } => {
            [robin, constant].iter().any(|f| f.as_ref().is_some_and(|f| f.has.time))
        }
    }
}

impl Split {
    /// Splits right sides for a scheme that is implicit. Auxiliary fields of which J has a part only get another one beside them that is
    /// that part.
    ///
    /// # Errors
    /// A term that the scheme `cn` has no place for; unlike edges of what depends on each other; `stabilise` where it changes nothing.
    pub(super) fn of(
        equations: &mut Equations,
        scheme: Scheme,
        text: &str,
    ) -> std::result::Result<Split, Fault> {
        let word = |span: Span| text.get(span.start..span.end).unwrap_or("a term").to_owned();
        let is_line = equations.grid.dimensions == 1;
        let implicit = equations.run.implicit.as_deref();
        let (none, all) = (implicit == Some("none"), implicit == Some("all") || scheme == Scheme::Cn);
        let count = equations.fields.len();
        let expanded = |formula: &Formula| {
            let mut parts = Vec::new();
            expand(formula, &number(1.0), is_line, &mut parts);
            parts
        };
        let fields: Vec<Vec<Part>> = equations.fields.iter().map(|field| expanded(&field.dt)).collect();
        let auxiliaries: Vec<Vec<Part>> = equations.auxiliaries.iter().map(|one| expanded(&one.is)).collect();
        let weights = match none {
            true => vec![None; count + auxiliaries.len()],
            false => weights(&fields, &auxiliaries),
        };
        let weight = |column: &Column| match column {
            Column::Field(at) => weights[*at].as_ref(),
            Column::Auxiliary(at) => weights[count + at].as_ref(),
        };
        // The column of a term, and whether it is under ∇² or the divergence that stands in its place.
        let place = |core: &Node| match &core.term {
            Term::Lap(of) => {
                column(of).filter(|column| weight(column).is_none()).map(|column| (column, true))
            }
            Term::Div(d, of) => {
                let is_its = |column: &Column| weight(column).is_some_and(|known| same(d, known));
                column(of).filter(is_its).map(|column| (column, true))
            }
            _ => column(core).map(|column| (column, false)),
        };
        let mut rows: Vec<Option<Row>> = Vec::new();
        rows.resize_with(auxiliaries.len(), || None);
        let mut order: Vec<usize> = (0..auxiliaries.len()).collect();
        order.sort_by_key(|at| equations.auxiliaries[*at].level);
        let mut parts_of: Vec<Option<Vec<Part>>> = auxiliaries.into_iter().map(Some).collect();
        for at in order.iter().copied().filter(|_| !none) {
            let stabilise = &equations.auxiliaries[at].stabilise;
            let mut row = Row::default();
            for part in parts_of[at].take().unwrap_or_default() {
                let known = |column| match column {
                    Column::Field(_) => true,
                    Column::Auxiliary(other) => rows[other].is_some(),
                };
                match place(&part.core) {
                    Some((Column::Field(field), false)) if stabilise.iter().any(|(of, _)| *of == field) => {
                        row.rest.push(part);
                    }
                    Some((column, true)) if known(column) => row.lap.push((column, part.coefficient)),
                    Some((column, false)) if known(column) => row.constant.push((column, part.coefficient)),
                    _ => row.rest.push(part),
                }
            }
            for (field, formula) in stabilise {
                row.constant.push((Column::Field(*field), formula.clone()));
            }
            if !row.constant.is_empty() || !row.lap.is_empty() {
                rows[at] = Some(row);
            }
        }
        let has_lap = |start: usize| {
            let (mut seen, mut next) = (Vec::new(), vec![start]);
            while let Some(at) = next.pop() {
                let Some(row) = &rows[at] else { continue };
                if !row.lap.is_empty() {
                    return true;
                }
                seen.push(at);
                next.extend(row.constant.iter().filter_map(|(column, _)| match column {
                    Column::Auxiliary(other) if !seen.contains(other) => Some(*other),
                    _ => None,
                }));
            }
            false
        };
        // Field rows: what J takes, and the rest.
        let mut taken: Vec<Row> = Vec::new();
        for (own, parts) in fields.into_iter().enumerate() {
            let mut row = Row::default();
            let mut net: Option<Formula> = None;
            for part in parts {
                match place(&part.core) {
                    _ if none => row.rest.push(part),
                    Some((Column::Field(field), false)) if field == own => added(&mut net, part.coefficient),
                    Some((Column::Auxiliary(at), false)) if rows[at].is_some() && (all || has_lap(at)) => {
                        row.constant.push((Column::Auxiliary(at), part.coefficient));
                    }
                    Some((Column::Auxiliary(at), true)) if rows[at].is_some() => {
                        row.lap.push((Column::Auxiliary(at), part.coefficient));
                    }
                    Some((column @ Column::Field(_), true)) => row.lap.push((column, part.coefficient)),
                    Some((column @ Column::Field(_), false)) if all => {
                        row.constant.push((column, part.coefficient))
                    }
                    _ => row.rest.push(part),
                }
            }
            if let Some(net) = net {
                let field = Node::new(Term::Field(own), net.span);
                let call = |function, arguments| folded(Node::new(Term::Call(function, arguments), net.span));
                let zero = || number(0.0);
                // ∇⁴ and −∇² have to stay beside the decay that balances them; beside ∇² alone only decay that an explicit step could not
                // follow is implicit: it is less exact apart from the reactions that it balances.
                let is_high = row
                    .lap
                    .iter()
                    .chain(&row.constant)
                    .any(|(column, _)| matches!(column, Column::Auxiliary(_)));
                let fast = Node::new(
                    Term::Pair(
                        Sign::Less,
                        pair(Sign::Times, &net, &Node::new(Term::Step, net.span)),
                        number(-FAST),
                    ),
                    net.span,
                );
                let (implicit, explicit) = match (all, is_high) {
                    (true, _) => (net.clone(), zero()),
                    (_, true) => (
                        call(Function::Min, vec![net.clone(), zero()]),
                        call(Function::Max, vec![net.clone(), zero()]),
                    ),
                    _ => (
                        call(Function::Where, vec![fast.clone(), net.clone(), zero()]),
                        call(Function::Where, vec![fast, zero(), net.clone()]),
                    ),
                };
                if plain(&implicit) != Some(0.0) {
                    row.constant.push((Column::Field(own), implicit));
                }
                if plain(&explicit) != Some(0.0) {
                    row.rest.push(Part { coefficient: explicit, core: field });
                }
            }
            taken.push(row);
        }
        // The auxiliary fields that they need.
        let mut used: Vec<usize> = Vec::new();
        let mut next: Vec<Column> = taken
            .iter()
            .flat_map(|row| row.constant.iter().chain(&row.lap))
            .map(|(column, _)| *column)
            .collect();
        while let Some(column) = next.pop() {
            if let Column::Auxiliary(at) = column
                && !used.contains(&at)
            {
                used.push(at);
                if let Some(row) = &rows[at] {
                    next.extend(row.constant.iter().chain(&row.lap).map(|(column, _)| *column));
                }
            }
        }
        used.sort_by_key(|at| (equations.auxiliaries[*at].level, *at));
        if scheme == Scheme::Cn {
            let mut rest =
                taken.iter().chain(used.iter().filter_map(|at| rows[*at].as_ref())).flat_map(|row| &row.rest);
            if let Some(part) = rest.find(|part| part.core.has.field || part.core.has.total) {
                let span = part.core.span;
                let why = if is_linear(&part.core) {
                    "is no constant times a field or ∇² of one"
                } else {
                    "is not linear"
                };
                return Err(Fault::new(span, format!("{} {why}: use cnab2", word(span))));
            }
        }
        for (at, one) in equations.auxiliaries.iter().enumerate() {
            if let Some((_, formula)) = one.stabilise.first().filter(|_| !used.contains(&at)) {
                let name = one.name.as_deref().unwrap_or("it");
                let message = format!("`stabilise` changes nothing: no implicit part has ∇² of {name}");
                return Err(Fault::new(formula.span, message));
            }
        }
        // Linear parts as auxiliary fields of their own.
        let mut columns: Vec<(usize, usize)> = Vec::new();
        for &at in &used {
            let Some(row) = &rows[at] else { continue };
            let changed = row.constant.iter().chain(&row.lap).any(|(column, _)| match column {
                Column::Auxiliary(other) => columns.iter().any(|(one, twin)| one == other && one != twin),
                Column::Field(_) => false,
            });
            if row.rest.is_empty() && !changed {
                columns.push((at, at));
                continue;
            }
            let is = sum_of(row, &columns, &weight).unwrap_or(number(0.0));
            let level_of = |column: &Column| match column {
                Column::Auxiliary(other) => columns
                    .iter()
                    .find(|(one, _)| one == other)
                    .map_or(0, |(_, twin)| equations.auxiliaries[*twin].level),
                Column::Field(_) => 0,
            };
            let below = row.constant.iter().chain(&row.lap).map(|(column, _)| level_of(column)).max();
            let mut level = equations.auxiliaries[at].level.max(below.unwrap_or(0) + 1);
            // A texel has four numbers.
            while equations.auxiliaries.iter().filter(|other| other.level == level).count() >= 4 {
                level += 1;
            }
            let Auxiliary { edges, mask, .. } = &equations.auxiliaries[at];
            let (edges, mask) = (edges.clone(), mask.clone());
            let made = Auxiliary { name: None, is, edges, mask, stabilise: Vec::new(), level };
            equations.auxiliaries.push(made);
            columns.push((at, equations.auxiliaries.len() - 1));
        }
        let mut split = Split {
            linear: Vec::new(),
            sources: Vec::new(),
            explicit: Vec::new(),
            groups: Vec::new(),
            joined: false,
            conserves: equations.fields.iter().map(|field| conserves(equations, field)).collect(),
            moving_values: false,
            moving: false,
            constant: Vec::new(),
            lap: Vec::new(),
            columns: columns.clone(),
            conductivities: weights[..count].to_vec(),
        };
        split.conductivities.extend(columns.iter().map(|(at, _)| weights[count + at].clone()));
        let size = count + columns.len();
        (split.constant, split.lap) = (vec![None; size * size], vec![None; size * size]);
        let index = |column: &Column| match column {
            Column::Field(at) => Some(*at),
            Column::Auxiliary(at) => columns.iter().position(|(one, _)| one == at).map(|place| count + place),
        };
        let all_rows = taken.iter().chain(columns.iter().filter_map(|(at, _)| rows[*at].as_ref()));
        for (i, row) in all_rows.enumerate() {
            for (list, matrix) in [(&row.constant, &mut split.constant), (&row.lap, &mut split.lap)] {
                for (column, coefficient) in list {
                    if let Some(j) = index(column) {
                        added(&mut matrix[i * size + j], coefficient.clone());
                    }
                }
            }
        }
        split.share_conductivities();
        for row in &taken {
            split.linear.push(sum_of(row, &columns, &weight).unwrap_or(number(0.0)));
            let (mut source, mut explicit) = (None, None);
            for Part { coefficient, core } in &row.rest {
                let is_source = core.has.time && !core.has.field && !core.has.total;
                added(if is_source { &mut source } else { &mut explicit }, times(coefficient, core));
            }
            // The rest of an auxiliary field beside its linear part.
            for (list, is_lap) in [(&row.constant, false), (&row.lap, true)] {
                for (column, coefficient) in list {
                    let Column::Auxiliary(at) = column else { continue };
                    let twin = columns.iter().find(|(one, twin)| one == at && one != twin);
                    if let Some((one, twin)) = twin {
                        let node = |at: usize| Node::new(Term::Auxiliary(at), Span::default());
                        let rest = pair(Sign::Subtract, &node(*one), &node(*twin));
                        let core = if is_lap { second_order(rest, weight(column)) } else { rest };
                        added(&mut explicit, times(coefficient, &core));
                    }
                }
            }
            split.sources.push(source);
            split.explicit.push(explicit);
        }
        split.check_edges(equations)?;
        Ok(split)
    }

    /// Gives a row of which J takes no second derivatives the D of one that it depends on, or that depends on it: they may be one group.
    fn share_conductivities(&mut self) {
        let size = self.conductivities.len();
        let has =
            |matrix: &[Option<Formula>], row: usize, column: usize| matrix[row * size + column].is_some();
        let has_none = |column: usize| (0..size).all(|row| !has(&self.lap, row, column));
        let near = |at: usize| {
            let other = |other: &usize| has(&self.constant, at, *other) || has(&self.constant, *other, at);
            (0..size).find(|row| !has_none(*row) && other(row))
        };
        let shared = (0..size).map(|at| if has_none(at) { near(at) } else { None }.unwrap_or(at));
        self.conductivities = shared.map(|row| self.conductivities[row].clone()).collect();
    }

    /// Finds the groups of what has the same kind of edges and one D, and notes which edges move.
    fn check_edges(&mut self, equations: &Equations) -> std::result::Result<(), Fault> {
        let auxiliaries = self.columns.iter().map(|(at, _)| {
            let one = &equations.auxiliaries[*at];
            (one.name.as_deref().unwrap_or("an operator's argument"), &one.edges, &one.mask, one.is.span)
        });
        let fields = equations
            .fields
            .iter()
            .map(|field| (field.name.as_str(), &field.edges, &field.mask, field.dt.span));
        let all: Vec<_> = fields.chain(auxiliaries).collect();
        let alike = |a: &Edge, b: &Edge| match (a, b) {
            (Edge::Periodic, Edge::Periodic) | (Edge::Value(_), Edge::Value(_)) => true,
            (Edge::Flux { robin: a, .. }, Edge::Flux { robin: b, .. }) => match (a, b) {
                (None, None) => true,
                (Some(a), Some(b)) => same(a, b),
                _ => false,
            },
            _ => false,
        };
        let sides = 2 * equations.grid.dimensions;
        let whole: Vec<&str> =
            ["on the left", "on the right", "at the bottom", "at the top"][..sides].to_vec();
        let has_mask = equations.grid.mask.is_some();
        let unlike = |a: usize, b: usize| {
            let ((_, edges, mask, _), (_, others, other_mask, _)) = (&all[a], &all[b]);
            let mut pairs = whole.iter().zip(edges.iter().zip(others.iter()));
            let unlike = pairs.find(|(_, (a, b))| !alike(a, b)).map(|(side, _)| format!("edges {side}"));
            let unlike =
                unlike.or((has_mask && !alike(mask, other_mask)).then(|| "edges at the mask".to_owned()));
            let is_one = match (&self.conductivities[a], &self.conductivities[b]) {
                (None, None) => true,
                (Some(a), Some(b)) => same(a, b),
                _ => false,
            };
            unlike.or((!is_one).then(|| "D in div(D*grad(u))".to_owned()))
        };
        // A row whose ∇·D∇ of another field that holds values is no 0 where it does.
        let size = all.len();
        let crossed = (0..size * size).map(|at| (at / size, at % size)).find(|(a, b)| {
            let is_held = |side: usize| {
                let [own, other] = [a, b].map(|row| matches!(all[*row].1[side], Edge::Value(_)));
                other && !own
            };
            let is_cross = self.lap[a * size + b].is_some() && self.conductivities[*b].is_some();
            is_cross && (0..sides).any(is_held)
        });
        // Fields that depend on each other have one kind of edges; others of the same ones are a group all the same.
        let mut group: Vec<usize> = (0..size).collect();
        let join = |group: &mut Vec<usize>, a: usize, b: usize| {
            let (from, to) = (group[a].max(group[b]), group[a].min(group[b]));
            group.iter_mut().filter(|of| **of == from).for_each(|of| *of = to);
        };
        for (a, b) in (0..size).flat_map(|a| (0..size).map(move |b| (a, b))) {
            if self.constant[a * size + b].is_some() || self.lap[a * size + b].is_some() {
                join(&mut group, a, b);
            }
        }
        if let Some((at, unlike)) = (0..size).find_map(|at| unlike(group[at], at).map(|what| (at, what))) {
            // One system for all, in which everything has its own edges and its own D.
            if let Some((row, column)) = crossed {
                let ((row, _, _, span), (column, ..)) = (&all[row], &all[column]);
                let message = format!(
                    "{column} holds values at an edge where {row} does not: the implicit part of {row} takes no div(D*grad({column})) of varying D there. euler, ab2 and rk4 do"
                );
                return Err(Fault::new(*span, message));
            }
            if self.columns.len() > 4 {
                let ((first, ..), (name, _, _, span)) = (&all[group[at]], &all[at]);
                let message = format!(
                    "{first} and {name} have unlike {unlike} and depend on each other in the implicit part; with more than four auxiliary fields they have to be alike. euler, ab2 and rk4 take any"
                );
                return Err(Fault::new(*span, message));
            }
            self.joined = true;
            group = (0..size).collect();
        }
        for (a, b) in (0..size).flat_map(|a| (0..a).map(move |b| (a, b))) {
            if unlike(a, b).is_none() {
                join(&mut group, a, b);
            }
        }
        let count = equations.fields.len();
        let of_group = |at: usize| {
            let members = |from: usize, to: usize| -> Vec<usize> {
                (from..to).filter(|row| group[*row] == at).map(|row| row - from).collect()
            };
            Alike { fields: members(0, count), auxiliaries: members(count, size) }
        };
        self.groups = (0..size).filter(|at| group[*at] == *at).map(of_group).collect();
        let of = |edges: &[Edge; 4], mask: &Edge| -> Vec<Edge> {
            let mut all: Vec<Edge> = edges[..sides].to_vec();
            all.extend(has_mask.then(|| mask.clone()));
            all
        };
        let mut moving_edges = false;
        for (at, (name, edges, mask, span)) in all.iter().enumerate() {
            for edge in of(edges, mask) {
                if let Edge::Flux { robin: Some(b), .. } = &edge
                    && b.has.time
                {
                    let message = "robin b changes with t: implicit steps need one that does not; euler, ab2 and rk4 do not";
                    return Err(Fault::new(b.span, message));
                }
                let moving = moves(&edge);
                if moving && (at >= equations.fields.len() || !self.columns.is_empty()) {
                    let message = format!(
                        "an edge of {name} changes with t beside an auxiliary field in the implicit part: euler, ab2 and rk4 take that"
                    );
                    return Err(Fault::new(*span, message));
                }
                moving_edges |= moving;
                self.moving_values |= moving && matches!(edge, Edge::Value(_));
            }
        }
        self.moving = moving_edges || self.sources.iter().any(Option::is_some);
        Ok(())
    }

    /// J with these parameters and Δt.
    pub fn part(&self, fields: usize, parameters: &[f64], step: f64) -> LinearPart {
        let value = |one: &Option<Formula>| {
            one.as_ref().and_then(|formula| constant(formula, parameters, step)).unwrap_or(0.0)
        };
        LinearPart {
            fields,
            auxiliary: self.columns.len(),
            constant: self.constant.iter().map(value).collect(),
            lap: self.lap.iter().map(value).collect(),
        }
    }

    /// The grid as the solver has it for the fields of a group. With D(u) `fields` are those of the last state.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for a D that is negative or no number.
    pub(super) fn grid(
        &self,
        equations: &Equations,
        parameters: &[f64],
        step: f64,
        group: &Alike,
        fields: Option<&[Vec<f64>]>,
    ) -> Result<solve::Grid> {
        let grid = &equations.grid;
        let (edges, rim) = match group.fields.first() {
            Some(&at) => (&equations.fields[at].edges, &equations.fields[at].mask),
            None => {
                let one = &equations.auxiliaries[self.columns[group.auxiliaries[0]].0];
                (&one.edges, &one.mask)
            }
        };
        let plain = Evaluation::plain(grid, &equations.images, parameters, step, equations.run.seed);
        let [width, height] = grid.size.map(|side| side as usize);
        let edge = |side: usize| match &edges[side] {
            _ if side >= 2 * grid.dimensions => solve::Edge::Neumann,
            Edge::Periodic => solve::Edge::Periodic,
            Edge::Value(_) => solve::Edge::Dirichlet,
            Edge::Flux { robin: None, .. } => solve::Edge::Neumann,
            Edge::Flux { robin: Some(b), .. } => {
                let values = plain.values(b);
                let node = |at: usize| match side {
                    0 => at * width,
                    1 => at * width + width - 1,
                    2 => at,
                    _ => (height - 1) * width + at,
                };
                let along = if side < 2 { height } else { width };
                solve::Edge::Robin((0..along).map(|at| values[node(at)]).collect())
            }
        };
        let mask = grid.mask.as_ref().map(|inside| solve::Mask {
            inside: inside.clone(),
            rim: if matches!(rim, Edge::Value(_)) { solve::Edge::Dirichlet } else { solve::Edge::Neumann },
        });
        let d = self.conductivity(equations, group);
        let conductivity = match (d, fields) {
            (None, _) => None,
            // Values a rounding below 0 conduct nothing.
            (Some(d), Some(fields)) if d.has.field => {
                let values = Evaluation::new(equations, parameters, step, 0.0, fields.to_vec()).values(d);
                Some(values.into_iter().map(|d| if d < 0.0 { 0.0 } else { d }).collect())
            }
            (Some(d), _) => Some(plain.values(d)),
        };
        let spacing = [grid.cell[0], if grid.dimensions == 1 { 1.0 } else { grid.cell[1] }];
        let wrong = |d: &f64| !(d.is_finite() && *d >= 0.0);
        if let Some(node) = conductivity.as_ref().and_then(|d: &Vec<f64>| d.iter().position(wrong)) {
            let d = conductivity.as_ref().map_or(f64::NAN, |d| d[node]);
            let [x, y] = grid.place(node).map(|value| value as f32);
            let place = if grid.dimensions == 1 { format!("x = {x}") } else { format!("x = {x}, y = {y}") };
            let expected = "a finite number, 0 or more, of D in div(D*grad(u))".to_owned();
            return Err(Error::BadParameter { name: "D", found: format!("{d} at {place}"), expected });
        }
        Ok(solve::Grid { size: grid.size, spacing, edges: [0, 1, 2, 3].map(edge), mask, conductivity })
    }

    /// D of a group's fields.
    pub(super) fn conductivity(&self, equations: &Equations, group: &Alike) -> Option<&Formula> {
        let first = group.fields.first().copied();
        let first = first.or(group.auxiliaries.first().map(|at| equations.fields.len() + at));
        first.and_then(|row| self.conductivities[row].as_ref())
    }

    /// True if the weights of J follow from the last state.
    pub fn follows_state(&self) -> bool {
        self.conductivities.iter().flatten().any(|d| d.has.field)
    }
}

impl Equations {
    /// A formula as text, names of `[let]` as they are.
    pub fn text(&self, formula: &Node) -> String {
        let of = |part: &Node| self.text(part);
        let name = |at: usize| {
            self.auxiliaries[at].name.clone().unwrap_or_else(|| format!("[{}]", of(&self.auxiliaries[at].is)))
        };
        match &formula.term {
            Term::Number(value) => format!("{value}"),
            Term::Parameter(at) => self.parameters[*at].name.clone(),
            Term::Field(at) => self.fields[*at].name.clone(),
            Term::Auxiliary(at) => name(*at),
            Term::Coordinate(Axis::X) => "x".into(),
            Term::Coordinate(Axis::Y) => "y".into(),
            Term::Time => "t".into(),
            Term::Step => "step".into(),
            Term::Let(at, _) => self.lets[*at].name.clone(),
            Term::Minus(a) => match &a.term {
                Term::Pair(sign, ..) if !matches!(sign, Sign::Times | Sign::Over | Sign::Power) => {
                    format!("-({})", of(a))
                }
                _ => format!("-{}", of(a)),
            },
            Term::Pair(Sign::Add, a, b) => match of(b).strip_prefix('-') {
                Some(less) => format!("{} - {less}", of(a)),
                None => format!("{} + {}", of(a), of(b)),
            },
            Term::Pair(sign, a, b) => {
                let part = |node: &Node| match node.term {
                    Term::Pair(..) | Term::Minus(_) => format!("({})", of(node)),
                    _ => of(node),
                };
                format!(
                    "{}{}{}",
                    part(a),
                    if *sign == Sign::Subtract { " - " } else { sign.spelt() },
                    part(b)
                )
            }
            Term::Call(function, all) => {
                format!("{}({})", function.name(), all.iter().map(|a| of(a)).collect::<Vec<_>>().join(", "))
            }
            Term::Random(_) => "random()".into(),
            Term::Normal(_) => "normal()".into(),
            Term::Image(at) => format!("array(\"{}\")", self.images[*at].name),
            Term::Lap(e) => format!("lap({})", of(e)),
            Term::First(axis, e) => format!("d{}({})", if *axis == Axis::X { "x" } else { "y" }, of(e)),
            Term::Second(axis, e) => format!("d{}({})", if *axis == Axis::X { "xx" } else { "yy" }, of(e)),
            Term::Div(d, e) => format!("div(({})*grad({}))", of(d), of(e)),
            Term::Adv(a, b, u) => format!("adv({}, {}, {})", of(a), of(b), of(u)),
            Term::Grad2(e) => format!("grad2({})", of(e)),
            Term::Total(at) => {
                let total = &self.totals[*at];
                format!("{}({})", if total.mean { "mean" } else { "integral" }, of(&total.of))
            }
        }
    }
}

/// D of the divergences in the place of ∇², of each field and then each auxiliary field: that of its own right side, or of the first one that
/// has such a term of it; none where that has ∇² itself. A D that follows the state goes with no auxiliary fields.
fn weights(fields: &[Vec<Part>], auxiliaries: &[Vec<Part>]) -> Vec<Option<Formula>> {
    let rows: Vec<&Vec<Part>> = fields.iter().chain(auxiliaries).collect();
    let of = |own: usize| {
        let is_it = |of: &Node| match column(of) {
            Some(Column::Field(at)) => at == own,
            Some(Column::Auxiliary(at)) => fields.len() + at == own,
            None => false,
        };
        let fits = |d: &Formula| {
            let is_free = !d.has.field || auxiliaries.is_empty();
            is_free && !d.has.time && !d.has.total && !holds_auxiliary(d)
        };
        // The row's own D: none, ∇² itself, or that.
        let in_row = |row: &usize| -> Option<Option<Formula>> {
            let cores = || rows[*row].iter().map(|part| &part.core.term);
            if cores().any(|term| matches!(term, Term::Lap(of) if is_it(of))) {
                return Some(None);
            }
            cores().find_map(|term| match term {
                Term::Div(d, of) if is_it(of) && fits(d) => Some(Some(d.clone())),
                _ => None,
            })
        };
        let others = (0..rows.len()).filter(|row| *row != own);
        std::iter::once(own).chain(others).find_map(|row| in_row(&row)).flatten()
    };
    (0..rows.len()).map(of).collect()
}

fn holds_auxiliary(formula: &Formula) -> bool {
    let mut found = false;
    formula.visit(&mut |node| found |= matches!(node.term, Term::Auxiliary(_)));
    found
}

fn second_order(of: Formula, d: Option<&Formula>) -> Formula {
    let span = of.span;
    Node::new(
        match d {
            None => Term::Lap(of),
            Some(d) => Term::Div(d.clone(), of),
        },
        span,
    )
}

/// Σ c w + l ∇²w, w the linear parts of auxiliary fields; ∇·D∇ in the place of ∇² where w has a D.
fn sum_of<'w>(
    row: &Row,
    columns: &[(usize, usize)],
    weight: &impl Fn(&Column) -> Option<&'w Formula>,
) -> Option<Formula> {
    let node = |column: &Column| {
        let term = match column {
            Column::Field(at) => Term::Field(*at),
            Column::Auxiliary(at) => {
                Term::Auxiliary(columns.iter().find(|(one, _)| one == at).map_or(*at, |(_, twin)| *twin))
            }
        };
        Node::new(term, Span::default())
    };
    let mut sum = None;
    for (column, coefficient) in &row.lap {
        added(&mut sum, times(coefficient, &second_order(node(column), weight(column))));
    }
    for (column, coefficient) in &row.constant {
        added(&mut sum, times(coefficient, &node(column)));
    }
    sum
}

/// Returns true if a field's integral stays: its right side is a sum of divergences, and nothing flows through edges.
fn conserves(equations: &Equations, field: &super::Field) -> bool {
    let grid = &equations.grid;
    let sides = 2 * grid.dimensions;
    let closed = |edges: &[Edge; 4], mask: &Edge| {
        let is = |edge: &Edge| edge.is_closed() || matches!(edge, Edge::Periodic);
        edges[..sides].iter().all(is) && (grid.mask.is_none() || is(mask))
    };
    let mut all_closed = equations.fields.iter().all(|field| closed(&field.edges, &field.mask));
    field.dt.visit(&mut |node| {
        if let Term::Auxiliary(at) = node.term {
            all_closed &= closed(&equations.auxiliaries[at].edges, &equations.auxiliaries[at].mask);
        }
    });
    if field.noise.is_some() || !all_closed {
        return false;
    }
    let is_ring = grid.mask.is_none() && grid.periodic[..grid.dimensions].iter().all(|ring| *ring);
    let mut parts = Vec::new();
    expand(&field.dt, &number(1.0), grid.dimensions == 1, &mut parts);
    parts.iter().all(|Part { core, .. }| {
        // Beyond an edge coordinates go on where fields do not.
        let is_plain = |part: &Node| !part.has.coordinate && !part.has.image;
        match &core.term {
            // No flux through an edge but that of a slope, whatever D is there.
            Term::Div(_, of) => is_plain(of),
            Term::Lap(_) | Term::Second(..) => is_plain(core),
            Term::Adv(..) | Term::First(..) => is_plain(core) && is_ring,
            _ => plain_zero(core),
        }
    })
}

fn plain_zero(core: &Node) -> bool {
    plain(core) == Some(0.0)
}
