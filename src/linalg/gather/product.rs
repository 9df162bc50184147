//! The textures of a matrix and the passes that multiply by it.

use super::Costs;
use super::plan::{FEW, Plan, Rectangle};
use super::sheet::{Addresses, Sheet, filled, lay_out};
use crate::gl::{Format, Rect, Shape, Texture};
use crate::layout::Packed2x2;
use crate::linalg::algebra::of_doubles;
use crate::linalg::operator::{Base, add_parts};
use crate::linalg::{Algebra, Op, Vector};
use crate::numeric::Csr;
use crate::{Error, Result};

/// A matrix in gather textures.
pub(in crate::linalg) struct Product {
    algebra: Algebra,
    plan: Plan,
    sheets: Vec<Sheet>,
    /// How the sheets write down the places of x's elements.
    kind: Addresses,
    diagonal: Option<Texture>,
    /// Where the sum of each row lies, if not in its own place.
    order: Option<Order>,
    /// True if x is copied with one element a texel first.
    channel: bool,
    /// True if its numbers are double-single.
    double: bool,
}

struct Order {
    kind: Addresses,
    addresses: Vec<Texture>,
}

const PRODUCT: &str = "linalg/gather.frag";
const ORDER: &str = "linalg/gather_order.frag";

/// Slots that a kernel of their own counts; more go round a loop that ends where a constant says.
const OWN_KERNEL: u32 = 16;

/// Bytes of a matrix of double-single numbers at most.
const MOST: u64 = 4 << 30;

/// Iterations that a loop may make on any driver known.
const ITERATIONS: u32 = 60_000;

/// Slots of a part at least, and parts at most, where there are few groups.
const FEWEST_SLOTS: u32 = 32;
const MOST_PARTS: u32 = 32;

/// The operands that passes of a product share.
struct Operands<'a> {
    x: &'a Vector,
    /// x with one element a texel.
    elements: Option<&'a Texture>,
}

/// The slots of a pass, which lie below each other.
#[derive(Clone, Copy)]
struct Span {
    first: u32,
    slots: u32,
}

impl Product {
    /// Uploads a matrix.
    ///
    /// # Errors
    /// [`Error::OverLimit`](crate::Error::OverLimit) for a row longer than a texture holds;
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn new(
        algebra: &Algebra,
        rows: Packed2x2,
        columns: Packed2x2,
        matrix: &Csr,
        costs: &Costs,
    ) -> Result<Product> {
        let limits = algebra.gpu().limits();
        let plan = Plan::new(matrix, rows, columns, limits.texture_size, costs)?;
        let fits = columns.width().max(columns.height()) <= limits.texture_size;
        let channel = fits && costs.copies(columns.len(), plan.slots());
        Product::planned(algebra, (rows, columns), matrix, plan, (channel, false))
    }

    /// The same of a matrix of double-single numbers, by the floats of their parts: a group of four rows is the high and the low
    /// parts of two rows, which therefore stay in their places.
    ///
    /// # Errors
    /// As [`Product::new`].
    pub fn of_doubles(algebra: &Algebra, words: Packed2x2, matrix: &Csr) -> Result<Product> {
        let plan = Plan::in_place(matrix, words, words, algebra.gpu().limits().texture_size)?;
        // Entries and addresses, a float each.
        let bytes = 8 * plan.slots() as u64;
        if bytes > MOST {
            let what = "double-single gather matrix, every row as long as the longest".to_owned();
            return Err(Error::OverLimit { what, quantity: "bytes", found: bytes, limit: MOST });
        }
        Product::planned(algebra, (words, words), matrix, plan, (false, true))
    }

    fn planned(
        algebra: &Algebra,
        (rows, columns): (Packed2x2, Packed2x2),
        matrix: &Csr,
        plan: Plan,
        (channel, double): (bool, bool),
    ) -> Result<Product> {
        // Beyond the last entry of a row its address is repeated: that texel is at hand already.
        let places = lay_out(&plan, matrix, 0, |column| column, |_, column, _| column);
        let entries = lay_out(&plan, matrix, 0.0, |_| 0.0, |_, _, value| value as f32);
        let kind = Addresses::of(columns.width(), columns.height());
        let sheet = |(rectangle, (places, entries)): (&Rectangle, (&Vec<usize>, &Vec<f32>))| {
            Sheet::new(algebra, columns, kind, *rectangle, places, entries)
        };
        let laid = places.iter().zip(&entries);
        let sheets = plan.rectangles().iter().zip(laid).map(sheet).collect::<Result<_>>()?;
        let diagonal = if plan.has_diagonal() {
            let diagonal: Vec<f32> = matrix.diagonal().iter().map(|&value| value as f32).collect();
            Some(filled(algebra, columns.texels(), &columns.pack(&diagonal, 0.0)?)?)
        } else {
            None
        };
        let order = match plan.order() {
            Some(order) => {
                let kind = Addresses::of(2 * order.texels.0, 2 * order.texels.1);
                let mut places = vec![None; 4 * rows.texels().0 as usize * rows.texels().1 as usize];
                order.places.iter().enumerate().for_each(|(row, &place)| places[rows.slot(row)] = place);
                Some(Order { kind, addresses: kind.textures(algebra, rows.texels(), &places)? })
            }
            None => None,
        };
        Ok(Product { algebra: algebra.clone(), plan, sheets, kind, diagonal, order, channel, double })
    }

    /// Where the entries lie.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// out = A x, A x + y or A x − y. The shapes are checked.
    pub fn apply(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        let elements = if self.channel { Some(x.unpacked()?) } else { None };
        let operands = Operands { x, elements: elements.as_ref() };
        let base = op.base(None);
        let Some(order) = &self.order else {
            return self.sums(&operands, base, out.texture());
        };
        let (width, height) = self.plan.texels();
        let sums = self.algebra.context().texture(Shape { width, height, format: Format::Rgba32F })?;
        self.sums(&operands, (0, None), &sums)?;
        self.bring_home(order, &sums, base, x, out.texture())
    }

    /// The sums of all rectangles.
    fn sums(&self, operands: &Operands, base: Base, target: &Texture) -> Result<()> {
        self.sheets.iter().try_for_each(|sheet| self.sheet(sheet, operands, base, target))
    }

    /// One rectangle: a pass, or several that add to what those before them made.
    fn sheet(&self, sheet: &Sheet, operands: &Operands, base: Base, target: &Texture) -> Result<()> {
        let rectangle = sheet.rectangle();
        let parts = self.parts(rectangle);
        let most = self.most_slots() * parts;
        let mut partial: Option<Texture> = None;
        let mut first = 0;
        while first < rectangle.slots {
            let slots = most.min(rectangle.down - first % rectangle.down).min(rectangle.slots - first);
            let span = Span { first, slots };
            let last = first + slots == rectangle.slots;
            let next = if last { None } else { Some(self.algebra.context().texture(target.shape())?) };
            let into = next.as_ref().unwrap_or(target);
            let base = partial.as_ref().map_or(base, |partial| (1, Some(partial)));
            if parts > 1 {
                self.span_in_parts(sheet, span, parts, operands, base, into)?;
            } else {
                self.span(sheet, span, slots, operands, base, (into, rectangle.range))?;
            }
            partial = next;
            first += slots;
        }
        Ok(())
    }

    /// Slots that one fragment may sum: six fetches each, and three for the diagonal, its x, and what is added.
    fn most_slots(&self) -> u32 {
        let limits = self.algebra.gpu().limits();
        let loops = if limits.loop_iterations == 0 { ITERATIONS } else { limits.loop_iterations };
        let each = 6 + self.kind.define() as u32;
        (limits.fetches.saturating_sub(3) / each).min(loops).clamp(1, ITERATIONS)
    }

    /// Parts that the sums of few long rows are made of, so that they keep the machine busy.
    fn parts(&self, rectangle: &Rectangle) -> u32 {
        if self.order.is_none() {
            return 1;
        }
        let limits = self.algebra.gpu().limits();
        let wanted = FEW.div_ceil(rectangle.range.area()) as u32;
        let most = (limits.texture_size / rectangle.range.height()).min(limits.fetches.saturating_sub(1));
        wanted.min(rectangle.slots / FEWEST_SLOTS).min(MOST_PARTS).min(most).max(1)
    }

    /// Sums of each part of the slots, one below the other, and the pass that adds them up.
    fn span_in_parts(
        &self,
        sheet: &Sheet,
        span: Span,
        parts: u32,
        operands: &Operands,
        base: Base,
        target: &Texture,
    ) -> Result<()> {
        let range = sheet.rectangle().range;
        let slots = span.slots.div_ceil(parts);
        let parts = span.slots.div_ceil(slots);
        let (width, height) = (range.width(), range.height());
        let shape = Shape { width, height: height * parts, format: Format::Rgba32F };
        let partial = self.algebra.context().texture(shape)?;
        self.span(sheet, span, slots, operands, (0, None), (&partial, shape.rect()))?;
        add_parts(&self.algebra, (&partial, parts), base, (target, range))
    }

    /// One pass over a span of slots, `each` of them a fragment.
    fn span(
        &self,
        sheet: &Sheet,
        span: Span,
        each: u32,
        operands: &Operands,
        base: Base,
        (target, range): (&Texture, Rect),
    ) -> Result<()> {
        let rectangle = sheet.rectangle();
        // A slot of double-single numbers is some 50 operations: unrolled, they would take longer to compile than to run.
        let own = span.slots <= OWN_KERNEL && each == span.slots && !self.double;
        // The sums of an order get their diagonal when they come home, and all others in their first pass.
        let diagonal = self.diagonal.as_ref().filter(|_| self.order.is_none() && span.first == 0);
        let variant = [
            ("SLOTS", if own { span.slots as i32 } else { 0 }),
            ("PAIRS", self.kind.define()),
            ("CHANNEL", i32::from(operands.elements.is_some())),
            ("DIAGONAL", i32::from(diagonal.is_some())),
            ("BASE", base.0),
            ("DOUBLE", i32::from(self.double)),
        ];
        let x = (diagonal.is_some() || operands.elements.is_none()).then_some(operands.x.texture());
        let (left, top) = rectangle.plane(span.first);
        let constants = [
            [rectangle.range.height() as f32, 0.0, 0.0, 0.0],
            [top as f32, each as f32, span.slots as f32, 0.0],
        ];
        let planes = Rect::new(left, top, left + range.width(), top + range.height());
        let words = |kernel| if self.double { of_doubles(kernel) } else { kernel };
        self.algebra
            .pass_of(PRODUCT, &variant, words)?
            .streams([sheet.entries()])
            .streams(sheet.addresses())
            .streams(operands.elements)
            .streams(x)
            .streams(diagonal)
            .streams(base.1)
            .constants(match span.slots {
                1 if own => &[],
                _ if own => &constants[..1],
                _ => &constants,
            })
            .domains(&[planes.corners(), range.corners()])
            .over(range)
            .onto(&[target])
    }

    /// The pass that brings each row's sum to its place, and adds what its diagonal makes of x.
    fn bring_home(
        &self,
        order: &Order,
        sums: &Texture,
        base: Base,
        x: &Vector,
        target: &Texture,
    ) -> Result<()> {
        let variant = [
            ("PAIRS", order.kind.define()),
            ("DIAGONAL", i32::from(self.diagonal.is_some())),
            ("BASE", base.0),
        ];
        let own = self.diagonal.as_ref().map(|diagonal| [x.texture(), diagonal]);
        self.algebra
            .pass(ORDER, &variant)?
            .streams([sums])
            .streams(&order.addresses)
            .streams(own.into_iter().flatten())
            .streams(base.1)
            .onto(&[target])
    }
}
