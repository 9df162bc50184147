//! Reductions: many elements to one, in passes that each shrink the grid.
//!
//! Each pass combines up to 2⁶ elements a fragment. So the additions form one binary tree of ⌈log₂ width⌉ + ⌈log₂
//! height⌉ levels in and between passes, and the error grows only with its depth. Operators that commute combine far
//! elements first; other operators combine in order, rows then columns.

mod on_cpu;
#[cfg(test)]
#[cfg(feature = "headless")]
mod tests;

use std::cell::RefCell;
use std::rc::Rc;

use super::Buffer;
use super::operator::{Operator, Step};
use crate::gl::{Context, Format, Linked, Rect, Rounding, Shape, Texture};
use crate::{Error, Result, kernels};

/// A reduction with its operator; compiles each kernel it needs once.
///
/// Results between passes are stored in the buffer's own precision: a sum of 16-bit numbers ends at 65 504.
///
/// w × h elements take ⌈(⌈log₂ w⌉ + ⌈log₂ h⌉) / log₂ side²⌉ passes; each writes a side²-th of the texels of the last. A
/// reduction by a non-commutative operator goes along rows first, then down the columns, and always combines adjacent
/// elements.
pub struct Reduction {
    context: Rc<Context>,
    operator: Operator,
    step: Step,
    stop_at: usize,
    variants: RefCell<Vec<Variant>>,
}

/// The elements that the first pass of a reduction combines.
#[derive(Clone, Copy)]
pub(crate) enum Terms<'a> {
    Values(&'a Texture),
    Products(&'a Texture, &'a Texture),
    Magnitudes(&'a Texture),
    /// p, q, r, and M if there is one: the sums of p·q, q·Mq, r·Mq and r·r, and beside them p·r (fused CG).
    Residuals([&'a Texture; 3], Option<&'a Texture>),
    /// Two reductions at once.
    Pair(&'a Texture, &'a Texture),
}

impl<'a> Terms<'a> {
    fn texture(self) -> &'a Texture {
        match self {
            Terms::Values(texture) | Terms::Products(texture, _) | Terms::Magnitudes(texture) => texture,
            Terms::Residuals([p, ..], _) => p,
            Terms::Pair(first, _) => first,
        }
    }

    /// The others beside it.
    fn others(self) -> [Option<&'a Texture>; 3] {
        match self {
            Terms::Values(_) | Terms::Magnitudes(_) => [None; 3],
            Terms::Products(_, others) | Terms::Pair(_, others) => [Some(others), None, None],
            Terms::Residuals([_, q, r], inverse) => [Some(q), Some(r), inverse],
        }
    }

    /// Fetches that make one element.
    fn fetches(self) -> u32 {
        1 + self.others().iter().flatten().count() as u32
    }

    /// The kernel's number for it.
    fn number(self) -> u32 {
        match self {
            Terms::Values(_) | Terms::Pair(..) => 0,
            Terms::Products(..) => 1,
            Terms::Magnitudes(_) => 2,
            Terms::Residuals(_, None) => 3,
            Terms::Residuals(_, Some(_)) => 4,
        }
    }
}

/// The variant of a kernel: halvings along x and y, its guards, its way of storing and reading, and
/// whether it combines the components too.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    x: u32,
    y: u32,
    guard: Guard,
    rounding: Rounding,
    term: u32,
    fold: bool,
    /// True if two reductions go on side by side.
    pair: bool,
}

/// A compiled kernel, and what its constants are.
struct Variant {
    key: Key,
    kernel: Rc<Linked>,
    constants: Vec<Constant>,
}

#[derive(Clone, Copy)]
enum Constant {
    Stride,
    Bounds,
    Identity,
}

/// Which elements beyond the data a kernel must take for the identity.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Guard {
    None = 0,
    Bounds = 1,
    Tail = 2,
}

impl Reduction {
    pub(super) fn new(context: &Rc<Context>, operator: Operator) -> Reduction {
        Reduction {
            context: context.clone(),
            operator,
            step: Step::default(),
            stop_at: 1,
            variants: RefCell::default(),
        }
    }

    /// Chooses the step: its side is 2, 4 or 8.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for another side.
    pub fn step(self, step: Step) -> Result<Reduction> {
        let (Step::Adjacent(side) | Step::Far(side)) = step;
        if ![2, 4, 8].contains(&side) {
            let (found, expected) = (side.to_string(), "2, 4 or 8".to_owned());
            return Err(Error::BadParameter { name: "step", found, expected });
        }
        Ok(Reduction { step, variants: RefCell::default(), ..self })
    }

    /// Lets [`Reduction::value`] stop drawing at this many texels and combine the rest on the CPU, in f64
    /// (row D3): the last passes cost more than reading a few texels.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for 0, and for an operator that has no CPU form.
    pub fn stop_at(self, texels: usize) -> Result<Reduction> {
        if texels == 0 || (texels > 1 && self.operator.on_cpu.is_none()) {
            let expected = "1 or more; 1 for an operator of the user's".to_owned();
            return Err(Error::BadParameter { name: "stop_at", found: texels.to_string(), expected });
        }
        Ok(Reduction { stop_at: texels, ..self })
    }

    /// All elements to one value of as many components, read back.
    ///
    /// # Errors
    /// [`Error::Compile`] for a wrong expression, [`Error::OutOfMemory`], [`Error::OtherContext`].
    pub fn value(&self, buffer: &Buffer) -> Result<Vec<f32>> {
        let reduced = Buffer::reduced(self.reduce(buffer, true, true, self.stop_at)?, buffer);
        let values = reduced.data()?;
        let components = buffer.components();
        match self.operator.on_cpu {
            Some(combine) if values.len() > components => Ok((0..components)
                .map(|c| values[c..].iter().step_by(components).map(|&v| f64::from(v)))
                .filter_map(|values| values.reduce(combine))
                .map(|total| total as f32)
                .collect()),
            _ => Ok(values),
        }
    }

    /// All elements to one, which stays on the GPU as a 1×1 buffer.
    ///
    /// # Errors
    /// As [`Reduction::value`].
    pub fn both(&self, buffer: &Buffer) -> Result<Buffer> {
        Ok(Buffer::reduced(self.reduce(buffer, true, true, 1)?, buffer))
    }

    /// Each row to one element: a buffer of one column (`pugReduce1D`).
    ///
    /// # Errors
    /// As [`Reduction::value`].
    pub fn rows(&self, buffer: &Buffer) -> Result<Buffer> {
        Ok(Buffer::reduced(self.reduce(buffer, true, false, 1)?, buffer))
    }

    /// Each column to one element: a buffer of one row (`pugReduce1D`).
    ///
    /// # Errors
    /// As [`Reduction::value`].
    pub fn columns(&self, buffer: &Buffer) -> Result<Buffer> {
        Ok(Buffer::reduced(self.reduce(buffer, false, true, 1)?, buffer))
    }

    fn reduce(&self, buffer: &Buffer, along_x: bool, along_y: bool, stop_at: usize) -> Result<Texture> {
        let _scope = self.context.scope("reduction");
        if !Rc::ptr_eq(&self.context, buffer.context()) {
            return Err(Error::OtherContext { what: buffer.describe() });
        }
        if buffer.access() == super::Access::Write {
            let (mode, used) = ("write-only", "reduced");
            return Err(Error::Access { buffer: buffer.describe(), mode, used });
        }
        let tail = buffer.fold().map_or(buffer.width(), |fold| fold.tail());
        let mut rest = Rest { width: buffer.width(), height: buffer.height(), tail };
        let rounding = buffer.precision().rounding();
        let format = buffer.precision().reduced().format(buffer.components());
        let mut newest: Option<Texture> = None;
        loop {
            let x = if along_x { halvings(rest.width) } else { 0 };
            let y = if along_y { halvings(rest.height) } else { 0 };
            let other_format = newest.is_none() && format != buffer.texture().shape().format;
            if !other_format && (x + y == 0 || (rest.texels() <= stop_at && rest.tail == rest.width)) {
                break;
            }
            let source = newest.as_ref().unwrap_or(buffer.texture());
            let terms = Terms::Values(source);
            let (key, next) = self.next(rest, x, y, (rounding, terms));
            let target = self.context.texture(next.shape(format))?;
            self.pass(terms, (&[&target], target.shape().rect()), key, rest)?;
            (rest, newest) = (next, Some(target));
        }
        match newest {
            Some(texture) => Ok(texture),
            None => {
                let copy = self.context.texture(buffer.texture().shape())?;
                copy.copy_from(buffer.texture(), buffer.rect());
                Ok(copy)
            }
        }
    }

    /// All components of all terms to the one value of a 1×1 texture; nothing is read back.
    pub(crate) fn fold_into(&self, terms: Terms, target: &Texture) -> Result<()> {
        self.reduce_into(terms, true, &[target], target.shape().rect())
    }

    /// Reduces all terms to one texel at `place` of the targets, each component separately unless they are folded.
    /// [`Terms::Residuals`], which are two reductions at once, have a second target.
    pub(crate) fn reduce_into(
        &self,
        terms: Terms,
        fold: bool,
        targets: &[&Texture],
        place: Rect,
    ) -> Result<()> {
        let _scope = self.context.scope("reduction");
        let Shape { width, height, format } = terms.texture().shape();
        let mut rest = Rest { width, height, tail: width };
        let mut newest: Option<(Texture, Option<Texture>)> = None;
        let pair = targets.len() > 1;
        loop {
            let (x, y) = (halvings(rest.width), halvings(rest.height));
            let terms = match &newest {
                None => terms,
                Some((newest, None)) => Terms::Values(newest),
                Some((first, Some(second))) => Terms::Pair(first, second),
            };
            let (key, next) = self.next(rest, x, y, (Rounding::None, terms));
            let key = Key { pair, ..key };
            if next.texels() == 1 {
                return self.pass(terms, (targets, place), Key { fold, ..key }, rest);
            }
            let partial = || self.context.texture(next.shape(format));
            let (first, second) = (partial()?, if pair { Some(partial()?) } else { None });
            let both = [&first, second.as_ref().unwrap_or(&first)];
            self.pass(terms, (&both[..targets.len().min(2)], first.shape().rect()), key, rest)?;
            (rest, newest) = (next, Some((first, second)));
        }
    }

    /// The next pass, with x and y halvings left, and the elements and halvings that remain after it.
    fn next(&self, rest: Rest, x: u32, y: u32, (rounding, terms): (Rounding, Terms)) -> (Key, Rest) {
        let (x, y) = self.share(x, y, terms.fetches());
        let (width, height) = (rest.width.div_ceil(1 << x), rest.height.div_ceil(1 << y));
        let guard = if rest.tail < rest.width {
            Guard::Tail
        } else if width << x != rest.width || height << y != rest.height {
            Guard::Bounds
        } else {
            Guard::None
        };
        (
            Key { x, y, guard, rounding, term: terms.number(), fold: false, pair: false },
            Rest { width, height, tail: width },
        )
    }

    /// The halvings of each side in the next pass. A fragment combines no more elements than the step allows and makes
    /// no more fetches, `each` for an element, than the limits allow.
    fn share(&self, x: u32, y: u32, each: u32) -> (u32, u32) {
        let (Step::Adjacent(side) | Step::Far(side)) = self.step;
        let most = (2 * side.ilog2()).min((self.context.limits().fetches / each).max(2).ilog2());
        if !self.operator.commutative && x > 0 {
            return (x.min(most), 0);
        }
        let (half_x, half_y) = (x.min(most - most / 2), y.min(most / 2));
        let rest = most - half_x - half_y;
        let more_x = (x - half_x).min(rest);
        (half_x + more_x, half_y + (y - half_y).min(rest - more_x))
    }

    fn pass(&self, terms: Terms, (targets, range): (&[&Texture], Rect), key: Key, rest: Rest) -> Result<()> {
        let place = self.variant(key)?;
        let variants = self.variants.borrow();
        let Variant { kernel, constants, .. } = &variants[place];
        let (x, y) = ((1 << key.x) as f32, (1 << key.y) as f32);
        let (width, height) = (range.width() as f32, range.height() as f32);
        // The rasterizer steps from one group's first element to the next: by one texel, or by a group.
        let (stride, domain) = if self.far() {
            ([width, height, 0.0, 0.0], [0.0, 0.0, width, height])
        } else {
            let start = [0.5 - x / 2.0, 0.5 - y / 2.0];
            ([1.0, 1.0, 0.0, 0.0], [start[0], start[1], start[0] + x * width, start[1] + y * height])
        };
        let mut values = [[0.0; 4]; 3];
        for (value, constant) in values.iter_mut().zip(constants) {
            *value = match constant {
                Constant::Stride => stride,
                Constant::Bounds => [rest.width as f32, rest.height as f32, rest.tail as f32, 0.0],
                Constant::Identity => self.operator.identity,
            };
        }
        let streams = [Some(terms.texture())].into_iter().chain(terms.others()).flatten();
        self.context
            .pass(kernel.clone())
            .streams(streams)
            .constants(&values[..constants.len()])
            .domains(&[domain])
            .over(range)
            .onto(targets)
    }

    /// Returns true if far elements are combined before near ones.
    fn far(&self) -> bool {
        self.operator.commutative && matches!(self.step, Step::Far(_))
    }

    /// The place of that variant in the list; compiled if it is not there yet.
    fn variant(&self, key: Key) -> Result<usize> {
        let mut variants = self.variants.borrow_mut();
        if let Some(place) = variants.iter().position(|variant| variant.key == key) {
            return Ok(place);
        }
        let mut kernel = kernels::named("pug/reduce.frag")?
            .define("COMBINE", &self.operator.expression)
            .define("ROW", format!("X{}", 1 << key.x))
            .define("COLUMN", format!("Y{}", 1 << key.y))
            .define("GUARD", key.guard as u32)
            .define("TERM", key.term)
            .define("FOLD", u32::from(key.fold))
            .define("PAIR", u32::from(key.pair))
            .splice("DECLARE_SECOND", if key.pair { "RANGE vec4 second;" } else { "" });
        // Far elements lie a constant part of the whole apart, if there is no padding: no size is needed, and
        // the domain itself, which differs from pass to pass, is not even named.
        kernel = match key.guard {
            Guard::None if self.far() => {
                let hop = format!("vec2({:?}, {:?})", 0.5f32.powi(key.x as i32), 0.5f32.powi(key.y as i32));
                kernel.define("HOP", hop)
            }
            Guard::None => kernel.define("HOP", "(stride * values.extent.zw)"),
            Guard::Bounds | Guard::Tail => kernel.define("FIRST", "first"),
        };
        kernel.name = format!("{} (operator {})", kernel.name, self.operator.name);
        let kernel = self.context.compile(&kernel, key.rounding)?;
        let constants = kernel.constants.iter().map(|slot| match slot.name.as_str() {
            "stride" => Constant::Stride,
            "bounds" => Constant::Bounds,
            _ => Constant::Identity,
        });
        let constants = constants.collect();
        variants.push(Variant { key, kernel, constants });
        Ok(variants.len() - 1)
    }
}

/// The elements that are left: the last row holds `tail` of them.
#[derive(Clone, Copy)]
struct Rest {
    width: u32,
    height: u32,
    tail: u32,
}

impl Rest {
    fn texels(self) -> usize {
        self.width as usize * self.height as usize
    }

    fn shape(self, format: Format) -> Shape {
        Shape { width: self.width, height: self.height, format }
    }
}

/// How often a side must be halved, rounding up, to become 1.
fn halvings(side: u32) -> u32 {
    side.next_power_of_two().ilog2()
}
