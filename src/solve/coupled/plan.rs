//! A coupled system as a list of small ones, in f64 on the CPU: which rows and columns are combined, and what is solved in which order.

use std::fmt;

use super::part::LinearPart;
use super::scheme::Scheme;
use super::small::Small;
use crate::{Error, Result};

/// (A₀ + Λ A₁) δ = R as blocks: rows of `left` R, unknowns y with δ = `right` y, block after block upper triangular.
///
/// Unknowns that depend on each other in a circle make a group; groups are solved one after another, the last first. Inside a group
/// of fields M = A₀⁻¹A₁ = Z S Zᵀ (real Schur form) and A₀ Z = Q T give Qᵀ A₀ Z = T and Qᵀ A₁ Z = T S, both upper triangular but for
/// blocks of two: a generalised real Schur form, which QZ would find for a singular A₀ too; here A₀ is regular, or no step is
/// possible. M is balanced before. A group of a field and an auxiliary field, or of a field of which no ∇² is taken, is a block of two
/// as it is: then no product with Λ, which rounds by 2⁻²⁴Λmax, comes before its solve.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Row k of what is solved, of the fields' R.
    pub left: Vec<[f64; 4]>,
    /// Column k: what y of k adds to each field.
    pub right: Vec<[f64; 4]>,
    /// In the order of solving.
    pub blocks: Vec<Block>,
    /// The entries between unknowns of different blocks: (row, column, a, b) for a + b Λ.
    pub couplings: Vec<Coupling>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Coupling {
    pub row: usize,
    pub column: usize,
    pub a: f64,
    pub b: f64,
}

/// A block of the implicit part, as `--explain` prints it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Block {
    /// (1 + s Λ) y = r: a Helmholtz solve, a division where s is 0.
    One {
        /// The unknown.
        at: usize,
        /// s.
        s: f64,
    },
    /// (1 + c₁Λ + c₂Λ²) y = r of the second unknown, and what the first one follows from.
    Two(Pair),
}

/// Two unknowns that cannot be told apart by real numbers, or a field and its auxiliary field. Rows are scaled so that
/// y₀ + (q + sΛ) y₁ = ρ₁ and (α + βΛ) y₀ + (κ + λΛ) y₁ = ρ₀, from which (1 + c₁Λ + c₂Λ²) y₁ = ρ₀ − (α + βΛ) ρ₁.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The two unknowns.
    pub at: [usize; 2],
    /// c₁ and c₂.
    pub c: [f64; 2],
    /// The s of the factors 1 + sΛ where they are real.
    pub factors: Option<[f64; 2]>,
    /// α and β.
    pub(super) outer: [f64; 2],
    /// κ and λ.
    pub(super) own: [f64; 2],
    /// q and s.
    pub(super) inner: [f64; 2],
    /// True if y₀ is wanted.
    pub(super) both: bool,
}

impl LinearPart {
    /// The blocks that a step of Δt solves, in their order, for Λ from 0 to `largest`.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for a part that is singular or of wrong shape.
    pub fn blocks(&self, scheme: Scheme, step: f64, largest: f64) -> Result<Vec<Block>> {
        self.check()?;
        let (c0, gamma) = scheme.implicit();
        Ok(Plan::new(self, (c0, gamma * step), largest)?.blocks)
    }
}

impl Block {
    /// The unknowns that it solves for.
    pub(super) fn unknowns(&self) -> &[usize] {
        match self {
            Block::One { at, .. } => std::slice::from_ref(at),
            Block::Two(pair) => &pair.at,
        }
    }
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        // A factor of 1 is none.
        let signed = |value: f64| {
            let number = short(value.abs());
            let number = if number == "1" { "" } else { &number };
            format!("{} {number}", if value < 0.0 { '-' } else { '+' })
        };
        match self {
            Block::One { s: 0.0, .. } => write!(f, "1: a division"),
            Block::One { s, .. } => write!(f, "1 {}Λ: real root", signed(*s)),
            Block::Two(Pair { c: [c1, c2], factors, .. }) => {
                write!(f, "1 {}Λ {}Λ²: ", signed(*c1), signed(*c2))?;
                match factors {
                    Some([s, 0.0]) => write!(f, "real root 1 {}Λ", signed(*s)),
                    Some([s, t]) => write!(f, "real roots (1 {}Λ)(1 {}Λ)", signed(*s), signed(*t)),
                    None => write!(f, "complex roots"),
                }
            }
        }
    }
}

/// Four digits of a number.
pub(super) fn short(value: f64) -> String {
    let digits = 3 - value.abs().log10().floor().clamp(-300.0, 300.0) as i64;
    match digits {
        _ if value == 0.0 => "0".to_owned(),
        0..=8 => {
            let text = format!("{value:.0$}", digits as usize);
            if text.contains('.') {
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            } else {
                text
            }
        }
        _ if (-6..0).contains(&digits) => format!("{value:.0}"),
        _ => format!("{value:.3e}"),
    }
}

/// Entries below this share of their matrices are zeros.
const NOTHING: f64 = 1e-13;

impl Plan {
    /// The plan of (c₀ I − γΔt J) δ = R, with `step` = γΔt, for Λ from 0 to `largest`.
    pub fn new(part: &LinearPart, (c0, step): (f64, f64), largest: f64) -> Result<Plan> {
        let (a0, a1) = part.pencil(c0, step);
        let singular = || Error::BadParameter {
            name: "implicit part",
            found: "singular".to_owned(),
            expected: "equations that determine all fields".to_owned(),
        };
        let n = a0.rows();
        let (mut left, mut right) = (Small::identity(n), Small::identity(n));
        let mut starts = Vec::new();
        let (order, groups) = groups(&a0, &a1);
        let mut at = 0;
        for group in &groups {
            let own: Vec<usize> = (at..at + group.len()).collect();
            at += group.len();
            let fields = group.iter().filter(|&&i| i < part.fields).count();
            let stays = |&&j: &&usize| group.iter().all(|&i| a1[(i, j)] == 0.0);
            if group.len() == 1 || (group.len() == 2 && (fields == 1 || group.iter().any(|j| stays(&j)))) {
                starts.push(own);
                continue;
            }
            let ([q, z], sizes) = reduced(&a0.part(group), &a1.part(group)).ok_or_else(singular)?;
            for (i, &row) in own.iter().enumerate() {
                for (j, &column) in own.iter().enumerate() {
                    left[(row, column)] = q[(i, j)];
                    right[(row, column)] = z[(i, j)];
                }
            }
            let mut from = 0;
            for size in sizes {
                starts.push(own[from..from + size].to_vec());
                from += size;
            }
        }
        let permuted = |a: &Small| left.times(&a.part(&order)).times(&right);
        let (mut t0, mut t1) = (permuted(&a0), permuted(&a1));
        for t in [&mut t0, &mut t1] {
            let least = NOTHING * t.size();
            (0..n * n).for_each(|at| {
                if t[(at / n, at % n)].abs() <= least {
                    t[(at / n, at % n)] = 0.0;
                }
            });
        }
        // Only fields have an R, and only fields are asked for.
        let rows_of = |k: usize| {
            let mut row = [0.0; 4];
            order.iter().enumerate().filter(|(_, field)| **field < part.fields).for_each(|(i, &field)| {
                row[field] = left[(k, i)];
            });
            row
        };
        let columns_of = |k: usize| {
            let mut column = [0.0; 4];
            order.iter().enumerate().filter(|(_, field)| **field < part.fields).for_each(|(i, &field)| {
                column[field] = right[(i, k)];
            });
            column
        };
        let mut plan = Plan {
            left: (0..n).map(rows_of).collect(),
            right: (0..n).map(columns_of).collect(),
            blocks: Vec::new(),
            couplings: Vec::new(),
        };
        for block in starts.iter().rev() {
            let made = match block[..] {
                [at] => plan.one(at, &mut t0, &mut t1),
                [first, second] => plan.two([first, second], (&mut t0, &mut t1), largest),
                _ => None,
            };
            plan.blocks.push(made.ok_or_else(singular)?);
        }
        let block_of = |k: usize| starts.iter().position(|block| block.contains(&k));
        for (row, column) in (0..n).flat_map(|row| (0..n).map(move |column| (row, column))) {
            let (a, b) = (t0[(row, column)], t1[(row, column)]);
            if block_of(row) < block_of(column) && (a != 0.0 || b != 0.0) {
                plan.couplings.push(Coupling { row, column, a, b });
            }
        }
        for k in 0..n {
            let wanted =
                plan.right[k] != [0.0; 4] || plan.couplings.iter().any(|coupling| coupling.column == k);
            for block in &mut plan.blocks {
                if let Block::Two(pair) = block
                    && pair.at[0] == k
                {
                    pair.both = wanted;
                }
            }
        }
        Ok(plan)
    }

    /// Leaves out what the fields that are wanted have no need of.
    pub fn keep(&mut self, wanted: &[usize]) {
        let mut needed: Vec<bool> =
            self.right.iter().map(|column| wanted.iter().any(|&field| column[field] != 0.0)).collect();
        // Blocks come in the order of solving: the last ones need those before.
        for block in self.blocks.iter().rev() {
            let rows = block.unknowns();
            if rows.iter().any(|&row| needed[row]) {
                rows.iter().for_each(|&row| needed[row] = true);
                let more = self.couplings.iter().filter(|coupling| rows.contains(&coupling.row));
                more.for_each(|coupling| needed[coupling.column] = true);
            }
        }
        self.blocks.retain(|block| block.unknowns().iter().any(|&row| needed[row]));
        self.couplings.retain(|coupling| needed[coupling.row]);
        for k in (0..needed.len()).filter(|&k| !needed[k]) {
            (self.left[k], self.right[k]) = ([0.0; 4], [0.0; 4]);
        }
    }

    /// Returns true if each block is above 0 for all Λ from 0 to the largest.
    pub fn is_positive(&self, largest: f64) -> bool {
        self.blocks.iter().all(|block| {
            let [c1, c2] = match block {
                Block::One { s, .. } => [*s, 0.0],
                Block::Two(pair) => pair.c,
            };
            let at = |lambda: f64| 1.0 + lambda * (c1 + lambda * c2);
            let lowest = if c2 > 0.0 { (-c1 / (2.0 * c2)).clamp(0.0, largest) } else { largest };
            at(lowest) > 0.0 && at(largest) > 0.0
        })
    }

    /// Scales row `at` so that its diagonal begins with 1.
    fn one(&mut self, at: usize, t0: &mut Small, t1: &mut Small) -> Option<Block> {
        let a = t0[(at, at)];
        if a == 0.0 {
            return None;
        }
        self.combine([at, at], [[1.0 / a, 0.0], [0.0, 1.0 / a]], t0, t1);
        Some(Block::One { at, s: t1[(at, at)] })
    }

    /// Combines and scales two rows as a [`Pair`] has them. Of the two unknowns the first is the one that is asked for less, or of which
    /// no ∇² is taken.
    fn two(&mut self, [i, j]: [usize; 2], (t0, t1): (&mut Small, &mut Small), largest: f64) -> Option<Block> {
        let norm = |v: [f64; 2]| v[0].hypot(v[1]);
        let column = |t: &Small, k: usize| [t[(i, k)], t[(j, k)]];
        let size = |k: usize| self.right[k].iter().map(|z| z.abs()).sum::<f64>();
        let goes_last = |k: usize| (size(k), norm(column(t1, k)));
        let [i, j] = if goes_last(j) < goes_last(i) { [j, i] } else { [i, j] };
        // The combination w of both rows in which Λ y_i does not occur, and the one across. Where Λ y_i occurs nowhere, that of which y_i
        // suffers less from an error of y_j.
        let column = |t: &Small, k: usize| [t[(i, k)], t[(j, k)]];
        let ([a, b], [a_j, b_j]) = ([column(t0, i), column(t1, i)], [column(t0, j), column(t1, j)]);
        let dot = |v: [f64; 2], w: [f64; 2]| v[0] * w[0] + v[1] * w[1];
        let unit = |v: [f64; 2]| v.map(|entry| entry / norm(v));
        let across = |v: [f64; 2]| unit([-v[1], v[0]]);
        let suffers = |w: [f64; 2]| {
            let [p, q, s] = [dot(w, a), dot(w, a_j), dot(w, b_j)];
            if p.abs() <= NOTHING * norm(a) {
                f64::INFINITY
            } else {
                q.abs().max((q + s * largest).abs()) / p.abs()
            }
        };
        let w = match (norm(b) > 0.0, norm(a) > 0.0, norm(b_j) > 0.0) {
            (true, ..) => across(b),
            (_, true, true) if suffers(across(b_j)) < suffers(unit(a)) => across(b_j),
            (_, true, _) => unit(a),
            _ => return None,
        };
        self.combine([i, j], [[w[1], -w[0]], w], t0, t1);
        t1[(j, i)] = 0.0;
        let p = t0[(j, i)];
        if p.abs() <= NOTHING * norm(a) {
            return None;
        }
        self.combine([i, j], [[1.0, 0.0], [0.0, 1.0 / p]], t0, t1);
        let of = |t0: &Small, t1: &Small, row, column| [t0[(row, column)], t1[(row, column)]];
        let [q, s] = of(t0, t1, j, j);
        let (mut outer, mut own) = (of(t0, t1, i, i), of(t0, t1, i, j));
        let at_0 = own[0] - outer[0] * q;
        if at_0.abs() <= NOTHING * (own[0].abs() + (outer[0] * q).abs()) {
            return None;
        }
        self.combine([i, j], [[1.0 / at_0, 0.0], [0.0, 1.0]], t0, t1);
        (outer, own) = (outer.map(|v| v / at_0), own.map(|v| v / at_0));
        let (mut c1, mut c2) = (own[1] - outer[0] * s - outer[1] * q, -outer[1] * s);
        let sizes = own[1].abs() + (outer[0] * s).abs() + (outer[1] * q).abs();
        c1 = if c1.abs() <= NOTHING * sizes { 0.0 } else { c1 };
        c2 = if c2.abs() <= NOTHING * c1 * c1 { 0.0 } else { c2 };
        let square = c1 * c1 - 4.0 * c2;
        // (1 + sΛ)(1 + tΛ): s + t = c₁, s t = c₂; two that differ by a rounding count as equal.
        let factors = (square >= -1e-12 * c1 * c1).then(|| {
            let s = (c1 + square.max(0.0).sqrt().copysign(c1)) / 2.0;
            if s == 0.0 { [0.0, 0.0] } else { [s, c2 / s] }
        });
        Some(Block::Two(Pair { at: [i, j], c: [c1, c2], factors, outer, own, inner: [q, s], both: true }))
    }

    /// Rows i and j become w of them.
    fn combine(&mut self, [i, j]: [usize; 2], w: [[f64; 2]; 2], t0: &mut Small, t1: &mut Small) {
        let n = t0.rows();
        for t in [t0, t1] {
            for k in 0..n {
                let (x, y) = (t[(i, k)], t[(j, k)]);
                (t[(i, k)], t[(j, k)]) = mixed(w, x, y, i == j);
            }
        }
        for k in 0..4 {
            let (x, y) = (self.left[i][k], self.left[j][k]);
            (self.left[i][k], self.left[j][k]) = mixed(w, x, y, i == j);
        }
    }
}

fn mixed(w: [[f64; 2]; 2], x: f64, y: f64, same: bool) -> (f64, f64) {
    if same {
        return (w[0][0] * x, w[0][0] * x);
    }
    (w[0][0] * x + w[0][1] * y, w[1][0] * x + w[1][1] * y)
}

/// The unknowns in the order of a block triangular matrix, and its groups: each depends on itself and on later ones.
fn groups(a0: &Small, a1: &Small) -> (Vec<usize>, Vec<Vec<usize>>) {
    let n = a0.rows();
    let mut reaches = vec![vec![false; n]; n];
    for (i, row) in reaches.iter_mut().enumerate() {
        row.iter_mut().enumerate().for_each(|(j, to)| *to = i == j || a0[(i, j)] != 0.0 || a1[(i, j)] != 0.0);
    }
    for k in 0..n {
        let through = reaches[k].clone();
        for row in reaches.iter_mut().filter(|row| row[k]) {
            row.iter_mut().zip(&through).for_each(|(to, &further)| *to |= further);
        }
    }
    let same = |i: usize, j: usize| reaches[i][j] && reaches[j][i];
    let count = |i: usize| reaches[i].iter().filter(|&&to| to).count();
    let least = |i: usize| (0..n).find(|&j| same(i, j)).unwrap_or(i);
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&i| (n - count(i), least(i), i));
    let groups = order.chunk_by(|&i, &j| same(i, j)).map(<[usize]>::to_vec).collect();
    (order, groups)
}

/// Qᵀ and Z that make both matrices upper triangular, Qᵀ A Z, and the rows of each block.
fn reduced(a0: &Small, a1: &Small) -> Option<([Small; 2], Vec<usize>)> {
    let n = a0.rows();
    let mut m = a0.solve(a1)?;
    // D⁻¹ M D with powers of two, until rows and columns are about as large.
    let mut d = vec![1.0; n];
    for _ in 0..20 {
        for i in 0..n {
            let others = || (0..n).filter(|&j| j != i);
            let row: f64 = others().map(|j| m[(i, j)].abs()).sum();
            let column: f64 = others().map(|j| m[(j, i)].abs()).sum();
            if row == 0.0 || column == 0.0 {
                continue;
            }
            let by = ((row / column).log2() / 2.0).round().exp2();
            d[i] *= by;
            for j in 0..n {
                m[(i, j)] /= by;
                m[(j, i)] *= by;
            }
        }
    }
    let (z, s) = m.schur()?;
    let (q, _) = Small::of(n, |i, j| a0[(i, j)] * d[j] / d[i]).times(&z).qr();
    let (q, z) = (Small::of(n, |i, j| q[(j, i)] / d[j]), Small::of(n, |i, j| d[i] * z[(i, j)]));
    let mut sizes = Vec::new();
    let mut at = 0;
    while at < n {
        let size = if at + 1 < n && s[(at + 1, at)] != 0.0 { 2 } else { 1 };
        sizes.push(size);
        at += size;
    }
    Some(([q, z], sizes))
}
