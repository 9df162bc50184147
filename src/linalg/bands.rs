//! The kernel of all matrices of shifted diagonals (`glsl/linalg/banded.frag`): the diagonals of each pass, and its
//! text.
//!
//! The text is made for a set of diagonals, so that a texel of x which several of them need is fetched once: five
//! points take 5 fetches of x for four unknowns. On a field, a diagonal may reach past the end of a row. Such a
//! diagonal is read along the folded array by computed addresses, around its end, which is why diagonals k and k − n
//! share a vector. `Stencil` is the same kernel with numbers for coefficients. Diagonals that exceed the streams or
//! fetches of a pass go into further passes.
//!
//! Terms are added so that a mirrored x gives the mirrored result, to the bit: opposite neighbours first, then the pairs that a quarter
//! turn makes of each other. Conjugate gradients keep the symmetry of a problem by that, and need not solve for what rounding would add
//! (Poisson's equation, b = 1, 10⁻¹⁰, 512², on an H200: 1533 iterations instead of 1991). Mesa adds four terms in an order of its own, whatever the
//! parentheses are, so each sum passes through `apart`, which no compiler sees through: one exclusive or with a 0 that is made of a constant.

mod inlined;

use std::cell::OnceCell;
use std::fmt::Write as _;
use std::ops::Range;
use std::rc::Rc;

use super::algebra::of_doubles;
use super::operator::{self, LinearOperator};
use super::{Algebra, Op, Vector};
use crate::gl::{Linked, Rounding, Texture};
use crate::layout::Packed2x2;
use crate::{Result, kernels};

pub use inlined::Inlined;

/// Where a diagonal reads x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Shift {
    /// A neighbour that many columns and rows away in the field: neighbouring texels, at constant offsets.
    Near(i32, i32),
    /// An element that many columns and rows further along the folded array, around its end: addresses are computed.
    Far(u32, u32),
}

impl Shift {
    /// The shift by (dx, dy), if texel offsets reach so far: they go from −8 to 7.
    pub fn near(dx: i64, dy: i64) -> Option<Shift> {
        let reach = -16..=14;
        (reach.contains(&dx) && reach.contains(&dy)).then_some(Shift::Near(dx as i32, dy as i32))
    }
}

/// The coefficients of the diagonals.
#[derive(Clone, Copy)]
pub(super) enum Coefficients<'a> {
    /// A vector each.
    Vectors(&'a [Texture]),
    /// A number each, on a grid beyond whose edges is nothing, or its own edge again.
    Constants(&'a [f32]),
}

/// How constant coefficients end at the edges of the grid.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Vectors,
    /// Vectors of double-single numbers, two of a row to a texel.
    Doubles,
    Fixed,
    Reflecting,
    /// The transpose of a reflecting stencil: a row gets the parts that its own neighbours beyond the edge would have got.
    ReflectingTransposed,
}

/// Sums of shifted vectors, in as few passes as the limits allow.
pub(super) struct Bands {
    algebra: Algebra,
    layout: Packed2x2,
    kind: Kind,
    shifts: Vec<Shift>,
    sweeps: Vec<Sweep>,
    inlined: Box<inlined::Programs>,
}

/// One pass: its diagonals, and its program for each [`Form`].
struct Sweep {
    bands: Range<usize>,
    programs: [OnceCell<Compiled>; 5],
}

/// The result that a pass makes of its sum, A x or a part of it; its number is that of the kernel's variant.
#[derive(Clone, Copy)]
enum Form<'a> {
    /// The sum, plus the sign times y where there is one.
    Sum(i32, Option<&'a Texture>),
    /// x + h (x − before) + g (b − sum), with h and g.
    ThreeTerm([f32; 2], &'a Texture, Option<&'a Texture>),
}

impl<'a> Form<'a> {
    fn number(self) -> i32 {
        match self {
            Form::Sum(sign, _) => sign,
            Form::ThreeTerm(.., before) => 2 + i32::from(before.is_some()),
        }
    }

    fn streams(self) -> impl Iterator<Item = &'a Texture> {
        let (base, before) = match self {
            Form::Sum(_, base) => (base, None),
            Form::ThreeTerm(_, b, before) => (Some(b), before),
        };
        base.into_iter().chain(before)
    }

    fn factors(self) -> [f32; 4] {
        match self {
            Form::ThreeTerm([h, g], ..) => [h, g, 0.0, 0.0],
            Form::Sum(..) => [0.0; 4],
        }
    }
}

struct Compiled {
    kernel: Rc<Linked>,
    constants: Vec<Constant>,
}

#[derive(Clone, Copy)]
enum Constant {
    Field,
    Coefficient(usize),
    Hop(usize),
    Factors,
}

/// Coefficients or hops of a pass at most: one for each diagonal.
const MOST_BANDS: usize = crate::gl::UNITS;

/// Constants of a pass at most: the field and the factors beside those.
const MAX_CONSTANTS: usize = 2 + MOST_BANDS;

impl Bands {
    pub fn new(algebra: &Algebra, layout: Packed2x2, kind: Kind, shifts: Vec<Shift>) -> Bands {
        let limits = algebra.gpu().limits();
        // One stream is x and one is what is added; constants take none.
        let most = match kind {
            Kind::Vectors | Kind::Doubles => (limits.streams as usize).saturating_sub(2).max(1),
            _ => MOST_BANDS,
        };
        // A reflecting edge adds the coefficients of neighbours to that of the cell: all five are in one pass.
        let splits = matches!(kind, Kind::Vectors | Kind::Doubles | Kind::Fixed);
        let mut sweeps = Vec::new();
        let mut first = 0;
        for last in 1..=shifts.len() {
            let full = last - first == most;
            let over = splits
                && last < shifts.len()
                && fetches(kind, &shifts[first..=last]) > limits.fetches as usize;
            if full || over || last == shifts.len() {
                sweeps.push(Sweep { bands: first..last, programs: Default::default() });
                first = last;
            }
        }
        Bands { algebra: algebra.clone(), layout, kind, shifts, sweeps, inlined: Default::default() }
    }

    pub fn algebra(&self) -> &Algebra {
        &self.algebra
    }

    /// Where each diagonal reads x.
    pub fn shifts(&self) -> &[Shift] {
        &self.shifts
    }

    /// Passes of a product.
    pub fn passes(&self) -> usize {
        self.sweeps.len()
    }

    /// out = Σ c x(+shift), plus or minus y. The shapes are checked.
    pub fn apply(&self, op: Op, x: &Vector, coefficients: Coefficients, out: &mut Vector) -> Result<()> {
        let Some((last, before)) = self.sweeps.split_last() else {
            return op.write(out);
        };
        let mut partial: Option<Texture> = None;
        for sweep in before {
            let target = self.algebra.texture(out.layout())?;
            self.sweep(sweep, sum_of(op, partial.as_ref()), x, coefficients, &target)?;
            partial = Some(target);
        }
        self.sweep(last, sum_of(op, partial.as_ref()), x, coefficients, out.texture())
    }

    /// Returns true if the limits have the streams and fetches for a three-term step in one pass.
    fn has_three_term(&self) -> bool {
        let limits = self.algebra.gpu().limits();
        let vectors = if self.kind == Kind::Vectors { self.shifts.len() } else { 0 };
        // x, b and the x before it.
        self.kind != Kind::Doubles
            && self.sweeps.len() == 1
            && vectors + 3 <= limits.streams as usize
            && fetches(self.kind, &self.shifts) + 2 <= limits.fetches as usize
    }

    /// out = x + h (x − before) + g (b − A x), `matrix` being A: one pass, or by its products where the limits are too narrow.
    pub fn three_term(
        &self,
        matrix: &impl LinearOperator,
        coefficients: Coefficients,
        factors: [f32; 2],
        [x, b]: [&Vector; 2],
        before: Option<&Vector>,
        out: &mut Vector,
    ) -> Result<()> {
        if !self.has_three_term() {
            return operator::three_term(matrix, factors, [x, b], before, out);
        }
        matrix.check(Op::Sub(b), x, out)?;
        if let Some(before) = before {
            before.same_shape(out, "vector of the step before")?;
        }
        let form = Form::ThreeTerm(factors, b.texture(), before.map(Vector::texture));
        self.sweeps.iter().try_for_each(|sweep| self.sweep(sweep, form, x, coefficients, out.texture()))
    }

    fn sweep(
        &self,
        sweep: &Sweep,
        form: Form,
        x: &Vector,
        coefficients: Coefficients,
        target: &Texture,
    ) -> Result<()> {
        let cell = &sweep.programs[(form.number() + 1) as usize];
        let compiled = match cell.get() {
            Some(compiled) => compiled,
            None => {
                let compiled = self.compile(&self.shifts[sweep.bands.clone()], form.number())?;
                cell.get_or_init(|| compiled)
            }
        };
        let vectors = match coefficients {
            Coefficients::Vectors(vectors) => &vectors[sweep.bands.clone()],
            Coefficients::Constants(_) => &[],
        };
        let mut constants = [[0.0; 4]; MAX_CONSTANTS];
        for (value, constant) in constants.iter_mut().zip(&compiled.constants) {
            *value = match constant {
                Constant::Factors => form.factors(),
                constant => self.constant(*constant, sweep.bands.start, coefficients),
            };
        }
        self.algebra
            .context()
            .pass(compiled.kernel.clone())
            .streams([x.texture()])
            .streams(form.streams())
            .streams(vectors)
            .constants(&constants[..compiled.constants.len()])
            .onto(&[target])
    }

    fn constant(&self, constant: Constant, first: usize, coefficients: Coefficients) -> [f32; 4] {
        match (constant, coefficients) {
            (Constant::Field, _) => self.layout.bounds(),
            (Constant::Coefficient(i), Coefficients::Constants(values)) => [values[first + i], 0.0, 0.0, 0.0],
            (Constant::Hop(i), _) => match self.shifts[first + i] {
                Shift::Far(columns, rows) => [columns as f32, rows as f32, 0.0, 0.0],
                Shift::Near(..) => [0.0; 4],
            },
            _ => [0.0; 4],
        }
    }

    fn compile(&self, shifts: &[Shift], base: i32) -> Result<Compiled> {
        let text = text(self.kind, shifts, "x");
        let far = shifts.iter().any(|shift| matches!(shift, Shift::Far(..)));
        let masked = match self.kind {
            Kind::Vectors | Kind::Doubles => 0,
            _ => 1 + i32::from(self.layout.is_padded()),
        };
        let double = self.kind == Kind::Doubles;
        let kernel = kernels::named("linalg/banded.frag")?;
        let kernel = if double { of_doubles(kernel) } else { kernel };
        let kernel = kernel
            .splice("DECLARE_COEFFICIENTS", &text.declarations)
            .splice("FETCH_NEIGHBOURS", &text.fetches)
            .splice("SUM_OF_TERMS", &text.sum)
            .splice("CENTRE", &text.centre)
            .define("BASE", base)
            .define("FAR", i32::from(far))
            .define("DOUBLE", i32::from(double))
            .define("MASKED", masked);
        let kernel = self.algebra.context().compile(&kernel, Rounding::None)?;
        let number = |name: &str, word: &str| name.strip_prefix(word)?.parse().ok();
        let meaning = |name: &str| match (number(name, "c"), number(name, "hop")) {
            (Some(i), _) => Constant::Coefficient(i),
            (_, Some(i)) => Constant::Hop(i),
            _ if name == "factors" => Constant::Factors,
            _ => Constant::Field,
        };
        let constants = kernel.constants.iter().map(|slot| meaning(&slot.name)).collect();
        Ok(Compiled { kernel, constants })
    }
}

/// The generated parts of a kernel.
#[derive(Default)]
struct Text {
    declarations: String,
    fetches: String,
    sum: String,
    /// x itself, which is fetched already where a diagonal reads it.
    centre: String,
}

/// The sum of a pass of a product: to y at first, then to the sum of the passes before it.
fn sum_of<'a>(op: Op<'a>, partial: Option<&'a Texture>) -> Form<'a> {
    let (sign, base) = op.base(partial);
    Form::Sum(sign, base)
}

/// Texel offset and channel of a neighbour: the element (i, j) of a block reads (i + dx, j + dy).
fn neighbour(i: i32, j: i32, dx: i32, dy: i32) -> ((i32, i32), usize) {
    let (column, row) = (i + dx, j + dy);
    ((column >> 1, row >> 1), (2 * (row & 1) + (column & 1)) as usize)
}

/// The texel offset and channel of each of the four elements of a block.
fn block(dx: i32, dy: i32) -> [((i32, i32), usize); 4] {
    [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(i, j)| neighbour(i, j, dx, dy))
}

/// The same of the two numbers of a texel: high parts, then low parts.
fn block_of_doubles(dx: i32, dy: i32) -> [((i32, i32), usize); 4] {
    [(0, 0), (1, 0), (0, 2), (1, 2)]
        .map(|(i, part)| (((i + dx) >> 1, dy), part as usize + ((i + dx) & 1) as usize))
}

fn block_of(kind: Kind, dx: i32, dy: i32) -> [((i32, i32), usize); 4] {
    if kind == Kind::Doubles { block_of_doubles(dx, dy) } else { block(dx, dy) }
}

/// The texels around this one that near shifts read, each once.
fn texels(kind: Kind, shifts: &[Shift]) -> Vec<(i32, i32)> {
    let mut texels = Vec::new();
    for shift in shifts {
        if let Shift::Near(dx, dy) = *shift {
            texels.extend(block_of(kind, dx, dy).map(|(texel, _)| texel));
        }
    }
    texels.sort_unstable_by_key(|&(column, row)| (row, column));
    texels.dedup();
    texels
}

/// Fetches of a pass, with one for what is added.
fn fetches(kind: Kind, shifts: &[Shift]) -> usize {
    let far = shifts.iter().filter(|shift| matches!(shift, Shift::Far(..))).count();
    let coefficients = if matches!(kind, Kind::Vectors | Kind::Doubles) { shifts.len() } else { 0 };
    let each_far = if kind == Kind::Doubles { 2 } else { 4 };
    1 + texels(kind, shifts).len() + each_far * far + coefficients
}

fn text(kind: Kind, shifts: &[Shift], x: &str) -> Text {
    let mut text = Text::default();
    let texels = texels(kind, shifts);
    for (place, (column, row)) in texels.iter().enumerate() {
        let _ = writeln!(
            text.fetches,
            "vec4 n{place} = textureLodOffset({x}.texels, here, 0.0, ivec2({column}, {row}));"
        );
    }
    let vectors = matches!(kind, Kind::Vectors | Kind::Doubles);
    for (i, &shift) in shifts.iter().enumerate() {
        let declared = if vectors { "Stream" } else { "float" };
        let _ = writeln!(text.declarations, "uniform {declared} c{i};");
        if vectors {
            let _ = writeln!(text.fetches, "vec4 k{i} = textureLod(c{i}.texels, here, 0.0);");
        }
        if let Shift::Far(..) = shift {
            let _ = writeln!(text.declarations, "uniform vec2 hop{i};");
            let _ = writeln!(text.fetches, "vec4 f{i} = shifted(hop{i});");
        }
    }
    text.centre = match texels.contains(&(0, 0)) {
        true => elements(kind, &texels, 0, 0),
        false => format!("textureLod({x}.texels, here, 0.0)"),
    };
    let terms: Vec<(Shift, String)> =
        shifts.iter().enumerate().map(|(i, &shift)| (shift, term(kind, i, shift, &texels))).collect();
    text.sum = match kind {
        Kind::Doubles => {
            let sum = |sum: String, term: String| format!("doubleSum({sum},\n        {term})");
            terms.into_iter().map(|(_, term)| term).reduce(sum).unwrap_or_default()
        }
        _ => symmetric_sum(terms).replace("BEYOND", &beyond(kind, shifts)),
    };
    text
}

/// The sum of the terms, of near shifts first: those that mirrors and quarter turns make of each other as a tree, whose first pairs are
/// opposite.
fn symmetric_sum(mut terms: Vec<(Shift, String)>) -> String {
    // Which terms belong together, by their distance; then, beside its opposite, each of them.
    let key = |shift: &Shift| match *shift {
        Shift::Far(..) => ((i32::MAX, 0), (false, false)),
        Shift::Near(dx, dy) => {
            let (near, far) = (dx.abs().min(dy.abs()), dx.abs().max(dy.abs()));
            ((far, near), (dx.abs() < dy.abs(), dx * dy < 0))
        }
    };
    terms.sort_by_key(|(shift, _)| key(shift));
    let sum = |terms: Vec<String>| terms.join("\n        + ");
    let tree = |like: &[(Shift, String)]| {
        let mut level: Vec<String> = like.iter().map(|(_, term)| term.clone()).collect();
        while level.len() > 1 {
            level = level
                .chunks(2)
                .map(|two| if let [a, b] = two { format!("apart({a} + {b})") } else { two.concat() })
                .collect();
        }
        level.concat()
    };
    sum(terms.chunk_by(|a, b| key(&a.0).0 == key(&b.0).0).map(tree).collect())
}

/// The terms that the coefficient of a cell itself gets from its neighbours beyond a reflecting edge.
fn beyond(kind: Kind, shifts: &[Shift]) -> String {
    let back = if kind == Kind::ReflectingTransposed { -1 } else { 1 };
    let mut sum = String::from("vec4(0.0)");
    for (i, shift) in shifts.iter().enumerate() {
        if let Shift::Near(dx, dy) = *shift
            && (dx, dy) != (0, 0)
        {
            let _ = write!(sum, " + {}", within(&format!("vec4(c{i})"), "vec4(0.0)", back * dx, back * dy));
        }
    }
    sum
}

/// The term that diagonal i adds to the four elements.
fn term(kind: Kind, i: usize, shift: Shift, texels: &[(i32, i32)]) -> String {
    let Shift::Near(dx, dy) = shift else {
        return format!("term(k{i}, f{i})");
    };
    let neighbours = elements(kind, texels, dx, dy);
    let on_the_grid = within("vec4(0.0)", &neighbours, dx, dy);
    match kind {
        Kind::Vectors | Kind::Doubles => format!("term(k{i}, {neighbours})"),
        Kind::Fixed => format!("c{i} * {on_the_grid}"),
        Kind::Reflecting | Kind::ReflectingTransposed if (dx, dy) != (0, 0) => {
            format!("c{i} * {on_the_grid}")
        }
        // Beyond a reflecting edge lies the cell itself.
        _ => format!("(c{i} + BEYOND) * {neighbours}"),
    }
}

/// `outside` for those of the four elements whose neighbour (dx, dy) away is off the grid, else `inside`.
fn within(outside: &str, inside: &str, dx: i32, dy: i32) -> String {
    let mut chosen = inside.to_owned();
    for (place, size, hop) in [("column", "field.x", dx), ("row", "field.y", dy)] {
        chosen = match hop {
            0 => chosen,
            1.. => format!("mix({outside}, {chosen}, lessThan({place}, vec4({size} - {hop}.0)))"),
            _ => format!("mix({outside}, {chosen}, greaterThan({place}, vec4({}.0)))", -hop),
        };
    }
    chosen
}

/// The four elements (dx, dy) away, out of the texels fetched.
fn elements(kind: Kind, texels: &[(i32, i32)], dx: i32, dy: i32) -> String {
    let block = block_of(kind, dx, dy);
    let name = |texel: (i32, i32)| texels.iter().position(|&known| known == texel).unwrap_or_default();
    if (dx, dy) == (0, 0) {
        return format!("n{}", name((0, 0)));
    }
    let parts = block.map(|(texel, channel)| format!("n{}.{}", name(texel), ["r", "g", "b", "a"][channel]));
    format!("vec4({})", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_points_read_five_texels_and_nine_read_nine() {
        let points = |offsets: &[(i64, i64)]| -> Vec<Shift> {
            offsets.iter().filter_map(|&(dx, dy)| Shift::near(dx, dy)).collect()
        };
        let five = points(&[(0, -1), (-1, 0), (0, 0), (1, 0), (0, 1)]);
        assert_eq!((texels(Kind::Vectors, &five).len(), fetches(Kind::Vectors, &five)), (5, 11));
        assert_eq!((texels(Kind::Doubles, &five).len(), fetches(Kind::Doubles, &five)), (5, 11));
        let nine: Vec<(i64, i64)> = (-1..=1).flat_map(|y| (-1..=1).map(move |x| (x, y))).collect();
        assert_eq!(texels(Kind::Vectors, &points(&nine)).len(), 9);
        assert_eq!(texels(Kind::Vectors, &points(&[(2, 0)])), [(1, 0)]);
        assert_eq!(Shift::near(15, 0), None);
    }

    #[test]
    fn a_neighbour_is_found_in_its_texel_and_channel() {
        assert_eq!(block(1, 0), [((0, 0), 1), ((1, 0), 0), ((0, 0), 3), ((1, 0), 2)]);
        assert_eq!(block(-1, -1)[0], ((-1, -1), 3));
        assert_eq!(block(-16, 14)[3], ((-8, 7), 3));
        assert_eq!(block(14, 0)[1], ((7, 0), 1));
        assert_eq!(block_of_doubles(1, -3), [((0, -3), 1), ((1, -3), 0), ((0, -3), 3), ((1, -3), 2)]);
    }
}
