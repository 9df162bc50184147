//! Nine-point matrices of a grid: an entry for a node and each of its eight neighbours.

mod made;
mod truth;

#[cfg(test)]
pub(crate) use made::five_point;

use std::cell::OnceCell;
use std::rc::Rc;

use super::{Algebra, LinearOperator, Op, Vector, operator};
use crate::gl::Kernel;
use crate::layout::{BoundaryCondition, Edges, Packed2x2};
use crate::numeric::Csr;
use crate::{Error, Result};

/// (A x)(i, j) = Σ a_d(i, j) x(i + dx, j + dy) over d = (dx, dy) in {−1, 0, 1}² (row E7).
///
/// The entry of (dx, dy) is vector 3 (dy + 1) + dx + 1 of nine, packed as x is. A missing vector is 0 everywhere, so a
/// five-point matrix has five. An entry that leads off the grid counts as 0, unless that axis is periodic. A node whose
/// diagonal is 0 (below 10⁻³⁰) takes no part: smoothers do not change x there.
///
/// It is made of entries ([`NinePoint::new`]), of a sparse matrix ([`NinePoint::from_csr`]), of −∇² and σ alone
/// ([`NinePoint::helmholtz`]), of coefficients that vary, −∇·(k∇u), by weights between nodes
/// ([`NinePoint::from_weights`]), or of nine numbers that are the entries of all nodes of a periodic grid
/// ([`NinePoint::uniform`]).
///
/// The 2×2 packing groups nodes by parity, as restriction and prolongation need it, and a product needs no border of
/// copies: nine fetches of x serve all nine entries of four rows. Nine entries take 18 fetches a texel, as Bolz et al.
/// counted; five take 10. Uniform ones are constants of the pass: 9 and 5. At the seam of an odd periodic side the last texel of a row holds one node instead of two;
/// two selects correct its neighbours.
///
/// Smoothers divide by d = max(|aᵢᵢ|, ½ Σⱼ |aᵢⱼ|). This is the diagonal, unless the other entries together are larger
/// (as where two coarse nodes stand for one fine node). By Gershgorin no eigenvalue of d⁻¹A exceeds 2, so damped Jacobi
/// never diverges on a symmetric positive matrix.
///
/// # Errors
/// All of its passes need streams for x, b, one vector more and the entries: twelve for nine-point matrices, eight for five-point
/// ones. Where the limits have fewer they are refused ([`Error::OverLimit`]).
///
/// # References
/// Bolz, Farmer, Grinspun & Schröder, *Sparse Matrix Solvers on the GPU*, 2003, §4.2.
#[derive(Clone)]
pub struct NinePoint {
    algebra: Algebra,
    layout: Packed2x2,
    periodic: [bool; 2],
    entries: Rc<Entries>,
    /// True if it is known that no entry leads to a node that takes no part.
    closed: bool,
    matrix: OnceCell<Rc<Csr>>,
    /// Aᵀ, made when it is first asked for; none for a symmetric matrix.
    transposed: OnceCell<Option<Box<NinePoint>>>,
}

enum Entries {
    /// Those of all nodes, and the same as vectors, made when somebody asks for them.
    Uniform(Uniform, OnceCell<Vectors>),
    Vectors(Vectors),
}

/// The entries of each node, and 1/d, which is not 0.
#[derive(Clone, Copy)]
struct Uniform {
    entries: [f32; 9],
    inverse: f32,
}

/// The entries, those that are 0 everywhere left out, and 1/d, 0 where a node takes no part.
struct Vectors {
    entries: [Option<Vector>; 9],
    inverse: Vector,
}

const KERNEL: &str = "linalg/nine_point.frag";
const TWICE: &str = "linalg/nine_point_twice.frag";
const BETWEEN: &str = "linalg/nine_point_between.frag";

/// The entry on the diagonal.
const OWN: usize = 4;

/// The formula of a pass: the kernel's FORM, and its inputs besides A.
#[derive(Clone, Copy)]
enum Form<'a> {
    Product(&'a Vector, Op<'a>),
    Residual(&'a Vector, &'a Vector),
    /// x + factor · d⁻¹ (b − A x), with a factor for each channel, and for x the sum of x and a coarser level's correction, if there is one.
    Sweep(&'a Vector, &'a Vector, Option<&'a Vector>, [f32; 4]),
    /// b − A x, 0 where a node takes no part.
    Rest(&'a Vector, &'a Vector),
    /// x + h (x − before) + g (b − A x), h and g; x + g (b − A x) without a `before`.
    ThreeTerm(&'a Vector, &'a Vector, Option<&'a Vector>, [f32; 2]),
}

/// A uniform matrix on a grid that fills its texels: the entries of dy = −1, 0 and 1, and 1/d.
#[derive(Clone, Copy)]
pub(crate) struct Whole {
    pub rows: [[f32; 4]; 3],
    pub inverse: f32,
}

/// (dx, dy) of an entry.
pub(crate) fn offset(entry: usize) -> (i64, i64) {
    ((entry % 3) as i64 - 1, (entry / 3) as i64 - 1)
}

/// The entry of (dx, dy).
pub(crate) fn entry_of((dx, dy): (i64, i64)) -> usize {
    (3 * (dy + 1) + dx + 1) as usize
}

impl NinePoint {
    /// The matrix of these entries. On a periodic side of one node, the node is its own neighbour: entries along that
    /// side are added to the diagonal. One pass for each entry beside the diagonal removes coefficients that lead off
    /// the grid, and one pass inverts d.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for a layout that is no full grid; [`Error::WrongShape`] and [`Error::OtherContext`] for an
    /// entry that does not fit; [`Error::OutOfMemory`].
    pub fn new(
        algebra: &Algebra,
        layout: Packed2x2,
        periodic: [bool; 2],
        mut entries: [Option<Vector>; 9],
    ) -> Result<NinePoint> {
        full_grid(layout)?;
        for entry in entries.iter().flatten() {
            entry.same_context(algebra)?;
            entry.has_layout(layout, "entry of a nine-point matrix")?;
        }
        let sides = [layout.width(), layout.height()];
        for (axis, one) in [(0, sides[0] == 1), (1, sides[1] == 1)] {
            if one {
                fold(&mut entries, axis, periodic[axis])?;
            }
        }
        let periodic = [periodic[0] && sides[0] > 1, periodic[1] && sides[1] > 1];
        for (number, entry) in entries.iter_mut().enumerate() {
            let (dx, dy) = offset(number);
            let leads_off = (dx != 0 && !periodic[0]) || (dy != 0 && !periodic[1]);
            if let (true, Some(vector)) = (leads_off, &entry) {
                *entry = Some(between(None, periodic, (dx, dy), vector)?);
            }
        }
        NinePoint::of(algebra, layout, periodic, entries)
    }

    /// The matrix of entries of which none leads off the grid.
    pub(crate) fn of(
        algebra: &Algebra,
        layout: Packed2x2,
        periodic: [bool; 2],
        entries: [Option<Vector>; 9],
    ) -> Result<NinePoint> {
        let mut inverse = Vector::uninitialised(algebra, layout)?;
        match &entries[OWN] {
            Some(_) => draw_inverse(&entries, periodic, &mut inverse)?,
            None => inverse.fill(0.0)?,
        }
        Ok(NinePoint::holding(algebra, layout, periodic, Entries::Vectors(Vectors { entries, inverse })))
    }

    fn holding(algebra: &Algebra, layout: Packed2x2, periodic: [bool; 2], entries: Entries) -> NinePoint {
        let (matrix, transposed) = (OnceCell::new(), OnceCell::new());
        NinePoint {
            algebra: algebra.clone(),
            layout,
            periodic,
            closed: false,
            entries: Rc::new(entries),
            matrix,
            transposed,
        }
    }

    /// The same, of which is known that no entry leads to a node that takes no part.
    pub(crate) fn closed(self) -> NinePoint {
        NinePoint { closed: true, ..self }
    }

    /// True if it has vectors of entries and it is known that none leads to a node that takes no part.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed && self.uniform_part().is_none()
    }

    /// The entries, those that are 0 everywhere left out. Those of a uniform matrix become vectors when they are first asked for.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] for those of a uniform matrix.
    pub fn entries(&self) -> Result<&[Option<Vector>; 9]> {
        self.vectors().map(|vectors| &vectors.entries)
    }

    /// The entries of each node if all nodes have the same ([`NinePoint::uniform`]).
    pub fn uniform_entries(&self) -> Option<[f32; 9]> {
        self.uniform_part().map(|uniform| uniform.entries)
    }

    fn uniform_part(&self) -> Option<Uniform> {
        match &*self.entries {
            Entries::Uniform(uniform, _) => Some(*uniform),
            Entries::Vectors(_) => None,
        }
    }

    fn vectors(&self) -> Result<&Vectors> {
        let (uniform, made) = match &*self.entries {
            Entries::Vectors(vectors) => return Ok(vectors),
            Entries::Uniform(uniform, made) => (uniform, made),
        };
        if let Some(vectors) = made.get() {
            return Ok(vectors);
        }
        let vector = |value: f32| self.algebra.vector(self.layout, &vec![value; self.layout.len()]);
        let mut entries = [const { None }; 9];
        for (entry, value) in entries.iter_mut().zip(uniform.entries).filter(|(_, value)| *value != 0.0) {
            *entry = Some(vector(value)?);
        }
        let vectors = Vectors { entries, inverse: vector(uniform.inverse)? };
        Ok(made.get_or_init(|| vectors))
    }

    /// Bit 3 (dy + 1) + dx + 1 for each entry that is not 0 everywhere.
    pub(crate) fn mask(&self) -> i32 {
        match &*self.entries {
            Entries::Uniform(uniform, _) => bits(uniform.entries.map(|value| value != 0.0)),
            Entries::Vectors(vectors) => bits(vectors.entries.each_ref().map(Option::is_some)),
        }
    }

    /// The axes, x and y, along which the last node is a neighbour of the first.
    pub fn periodic(&self) -> [bool; 2] {
        self.periodic
    }

    /// 1/d, 0 where a node takes no part.
    ///
    /// # Errors
    /// As [`NinePoint::entries`].
    pub fn inverse_diagonal(&self) -> Result<&Vector> {
        self.vectors().map(|vectors| &vectors.inverse)
    }

    /// out = factor · d⁻¹ b.
    pub(crate) fn divide(&self, factor: f32, b: &Vector, out: &mut Vector) -> Result<()> {
        match self.uniform_part() {
            Some(uniform) => out.set_scaled(factor * uniform.inverse, b),
            None => out.set_product(factor, self.inverse_diagonal()?, b),
        }
    }

    /// Returns true if each node has four neighbours at most, so that two colours are enough.
    pub fn is_five_point(&self) -> bool {
        self.mask() & 0b1_0100_0101 == 0
    }

    /// out = b − A x: one pass.
    ///
    /// # Errors
    /// As [`LinearOperator::apply`].
    pub fn residual(&self, x: &Vector, b: &Vector, out: &mut Vector) -> Result<()> {
        self.check(Op::Sub(b), x, out)?;
        self.draw(Form::Residual(x, b), out)
    }

    /// out = x + damping · d⁻¹ (b − A x), a sweep of damped Jacobi: one pass.
    ///
    /// # Errors
    /// As [`LinearOperator::apply`].
    pub fn relax(&self, damping: f32, x: &Vector, b: &Vector, out: &mut Vector) -> Result<()> {
        self.check(Op::Sub(b), x, out)?;
        self.draw(Form::Sweep(x, b, None, [damping; 4]), out)
    }

    /// The same with a factor for each channel: a sweep of only one of the four colours is a part of a Gauss–Seidel
    /// sweep.
    pub(crate) fn sweep(&self, factor: [f32; 4], x: &Vector, b: &Vector, out: &mut Vector) -> Result<()> {
        self.draw(Form::Sweep(x, b, None, factor), out)
    }

    /// The same from x + S e, e being the correction of the coarser level: for [closed](NinePoint::is_closed) matrices without a seam.
    pub(crate) fn sweep_corrected(
        &self,
        factor: [f32; 4],
        [x, b, e]: [&Vector; 3],
        out: &mut Vector,
    ) -> Result<()> {
        self.draw(Form::Sweep(x, b, Some(e), factor), out)
    }

    /// Two sweeps in one pass, or false where it takes two: it needs a uniform matrix without padding. 14 fetches of five points, 18 of
    /// nine; two passes have 12 and 20.
    pub(crate) fn sweep_twice(&self, damping: f32, x: &Vector, b: &Vector, out: &mut Vector) -> Result<bool> {
        let Some(Whole { rows: [low, middle, high], inverse }) = self.whole() else { return Ok(false) };
        let five = self.is_five_point();
        self.algebra
            .pass(TWICE, &[("FIVE", i32::from(five))])?
            .streams_by(Edges::Repeat, [x.texture(), b.texture()])
            .constants(&[low, middle, high, [damping * inverse, 0.0, 0.0, 0.0]])
            .onto(&[out.texture()])?;
        Ok(true)
    }

    /// The entries and 1/d of a uniform matrix without padding.
    pub(crate) fn whole(&self) -> Option<Whole> {
        let uniform = self.uniform_part().filter(|_| padding(self.layout) == 0)?;
        let row = |k: usize| [uniform.entries[k], uniform.entries[k + 1], uniform.entries[k + 2], 0.0];
        Some(Whole { rows: [row(0), row(3), row(6)], inverse: uniform.inverse })
    }

    /// out = b − A x, and 0 where a node takes no part: the residual for the coarser level.
    pub(crate) fn rest(&self, x: &Vector, b: &Vector, out: &mut Vector) -> Result<()> {
        self.draw(Form::Rest(x, b), out)
    }

    /// The entries between nodes where `marks` are not 0.
    pub(crate) fn entries_between(&self, marks: &Vector) -> Result<[Option<Vector>; 9]> {
        let mut kept = [const { None }; 9];
        for (number, entry) in self.entries()?.iter().enumerate() {
            if let Some(entry) = entry {
                kept[number] = Some(between(Some(marks), self.periodic, offset(number), entry)?);
            }
        }
        Ok(kept)
    }

    /// 1 at the nodes that take part, 0 at the others.
    pub(crate) fn members(&self) -> Result<Vector> {
        let mut ones = Vector::uninitialised(&self.algebra, self.layout)?;
        ones.fill(1.0)?;
        between(Some(self.inverse_diagonal()?), self.periodic, offset(OWN), &ones)
    }

    fn draw(&self, form: Form, out: &mut Vector) -> Result<()> {
        let mask = self.mask();
        if mask == 0 {
            return self.draw_nothing(form, out);
        }
        let uniform = self.uniform_part();
        let held = if uniform.is_some() { None } else { Some(self.vectors()?) };
        let mut coarse = None;
        let (number, beside, mut factor) = match form {
            Form::Product(x, op) => (op.sign(), [Some(x), op.vector(), None], None),
            Form::Residual(x, b) => (2, [Some(x), Some(b), None], None),
            Form::Sweep(x, b, e, factor) => {
                coarse = e;
                (3, [Some(x), Some(b), None], Some(factor))
            }
            // All nodes of a uniform matrix take part.
            Form::Rest(x, b) => (if held.is_some() { 4 } else { 2 }, [Some(x), Some(b), None], None),
            Form::ThreeTerm(x, b, before, [h, g]) => {
                (if before.is_some() { 6 } else { 7 }, [Some(x), Some(b), before], Some([h, g, 0.0, 0.0]))
            }
        };
        let seam = seam(self.layout, self.periodic);
        let padding = if held.is_none() { padding(self.layout) } else { 0 };
        // No stream's size is asked for: levels take turns, and each would have to be told.
        let (width, height) = self.layout.texels();
        let size = (seam + padding != 0).then_some([width as f32, height as f32, 0.0, 0.0]);
        let mut rows = [None; 3];
        if let Some(Uniform { entries, inverse }) = uniform {
            if let (3, Some(factor)) = (number, &mut factor) {
                *factor = factor.map(|factor| factor * inverse);
            }
            let row = |k: usize| [entries[3 * k], entries[3 * k + 1], entries[3 * k + 2], 0.0];
            rows = [0, 1, 2].map(|k| (mask >> (3 * k) & 7 != 0).then(|| row(k)));
        }
        let mut constants = [[0.0; 4]; 5];
        let mut count = 0;
        for value in [factor, size].into_iter().chain(rows).flatten() {
            constants[count] = value;
            count += 1;
        }
        let entries = held.into_iter().flat_map(|vectors| vectors.entries.iter().flatten());
        let vectors = beside.into_iter().flatten().chain(entries).chain(coarse);
        let variant = [
            ("FORM", number),
            ("ENTRIES", mask),
            ("SEAM", seam),
            ("UNIFORM", i32::from(held.is_none())),
            ("PADDING", padding),
            ("CORRECTED", i32::from(coarse.is_some())),
        ];
        let (across, down) = (width as f32, height as f32);
        // A texel of the coarse level is two of the fine one; the first of the two that its nodes at -1 to 1 lie in.
        let domains = [[0.0, 0.0, across, down], [-0.5, -0.5, 0.5 * across - 0.5, 0.5 * down - 0.5]];
        self.algebra
            .pass_of(KERNEL, &variant, |kernel| declared(kernel, coarse.is_some()))?
            .streams_by(edges(self.periodic), vectors.map(Vector::texture))
            .constants(&constants[..count])
            .domains(&domains[..1 + usize::from(coarse.is_some())])
            .onto(&[out.texture()])
    }

    /// The same of a matrix without entries.
    fn draw_nothing(&self, form: Form, out: &mut Vector) -> Result<()> {
        match form {
            Form::Product(_, op) => op.write(out),
            Form::Residual(_, b) => out.copy_from(b),
            // No node takes part, and a correction changes none.
            Form::Sweep(x, ..) | Form::ThreeTerm(x, ..) => out.copy_from(x),
            Form::Rest(..) => out.fill(0.0),
        }
    }
}

impl LinearOperator for NinePoint {
    fn algebra(&self) -> &Algebra {
        &self.algebra
    }

    fn rows(&self) -> Packed2x2 {
        self.layout
    }

    fn columns(&self) -> Packed2x2 {
        self.layout
    }

    fn apply(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        self.check(op, x, out)?;
        self.draw(Form::Product(x, op), out)
    }

    /// One pass.
    fn three_term(
        &self,
        factors: [f32; 2],
        [x, b]: [&Vector; 2],
        before: Option<&Vector>,
        out: &mut Vector,
    ) -> Result<()> {
        if self.mask() == 0 {
            return operator::three_term(self, factors, [x, b], before, out);
        }
        self.check(Op::Sub(b), x, out)?;
        if let Some(before) = before {
            self.check(Op::Sub(before), x, out)?;
        }
        self.draw(Form::ThreeTerm(x, b, before, factors), out)
    }

    fn apply_transposed(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        operator::check(&self.algebra, self.layout, self.layout, op, x, out)?;
        self.transposed()?.apply(op, x, out)
    }

    /// Returns no elements where the entries cannot be read back, as after a lost device.
    fn multiply(&self, x: &[f64]) -> Vec<f64> {
        self.matrix().map_or_else(|_| Vec::new(), |matrix| matrix.multiply(x))
    }

    fn multiply_transposed(&self, x: &[f64]) -> Vec<f64> {
        self.matrix().map_or_else(|_| Vec::new(), |matrix| matrix.multiply_transposed(x))
    }

    fn diagonal(&self) -> Vec<f64> {
        self.matrix().map_or_else(|_| Vec::new(), Csr::diagonal)
    }
}

fn full_grid(layout: Packed2x2) -> Result<()> {
    if layout.tail() == layout.width() {
        return Ok(());
    }
    let (found, expected) = (layout.to_string(), "a full grid".to_owned());
    Err(Error::BadParameter { name: "nine-point matrix", found, expected })
}

/// The bits of the entries that are there.
fn bits(there: [bool; 9]) -> i32 {
    (0..9).map(|number| i32::from(there[number]) << number).sum()
}

/// The kernel with the domains that it has: a second one for a correction.
fn declared(kernel: Kernel, corrected: bool) -> Kernel {
    kernel.splice("DECLARE_OF_COARSE", if corrected { "DOMAIN of_coarse;" } else { "" })
}

/// 1/d of entries: one pass.
fn draw_inverse(entries: &[Option<Vector>; 9], periodic: [bool; 2], out: &mut Vector) -> Result<()> {
    let mask = bits(entries.each_ref().map(Option::is_some));
    let variant =
        [("FORM", 5), ("ENTRIES", mask), ("SEAM", 0), ("UNIFORM", 0), ("PADDING", 0), ("CORRECTED", 0)];
    out.algebra()
        .pass_of(KERNEL, &variant, |kernel| declared(kernel, false))?
        .streams_by(edges(periodic), entries.iter().flatten().map(Vector::texture))
        .domains(&[[0.0, 0.0, 1.0, 1.0]])
        .onto(&[out.texture()])
}

/// How neighbours beyond the texture are fetched.
fn edges(periodic: [bool; 2]) -> Edges {
    if periodic.contains(&true) { Edges::Repeat } else { Edges::Clamp }
}

/// The sides that are periodic and odd, as kernels take them: 1 for x, 2 for y.
fn seam(layout: Packed2x2, periodic: [bool; 2]) -> i32 {
    let odd = |axis: usize, side: u32| i32::from(periodic[axis] && side % 2 == 1);
    odd(0, layout.width()) + 2 * odd(1, layout.height())
}

/// The sides whose last texel has padding: 1 for x, 2 for y.
fn padding(layout: Packed2x2) -> i32 {
    (layout.width() % 2 + 2 * (layout.height() % 2)) as i32
}

/// Adds the entries along an axis of one node to the central ones if it is periodic, and removes them.
fn fold(entries: &mut [Option<Vector>; 9], axis: usize, periodic: bool) -> Result<()> {
    for number in 0..9 {
        let (dx, dy) = offset(number);
        let (along, stays) = [(dx, entry_of((0, dy))), (dy, entry_of((dx, 0)))][axis];
        if along == 0 {
            continue;
        }
        if let Some(entry) = entries[number].take()
            && periodic
        {
            match &mut entries[stays] {
                Some(own) => own.add(&entry)?,
                none => *none = Some(entry),
            }
        }
    }
    Ok(())
}

/// An entry of (dx, dy), 0 where the neighbour is off the grid, or where `marks` are 0 at one of the two: one pass.
fn between(
    marks: Option<&Vector>,
    periodic: [bool; 2],
    (dx, dy): (i64, i64),
    entry: &Vector,
) -> Result<Vector> {
    let (algebra, layout) = (entry.algebra(), entry.layout());
    let kept = Vector::uninitialised(algebra, layout)?;
    let [across, down] = flags(periodic);
    let grid = [layout.width() as f32, layout.height() as f32, across, down];
    algebra
        .pass(BETWEEN, &[("MARKS", i32::from(marks.is_some()))])?
        .streams([entry.texture()])
        .streams(marks.map(Vector::texture))
        .constants(&[[dx as f32, dy as f32, 0.0, 0.0], grid])
        .domains(&layout.texels_and_elements())
        .onto(&[kept.texture()])?;
    Ok(kept)
}

/// 1 for a periodic axis, 0 for another.
fn flags(periodic: [bool; 2]) -> [f32; 2] {
    periodic.map(|is| f32::from(u8::from(is)))
}
