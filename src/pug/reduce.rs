//! Reductions: many elements to one, in passes that each shrink the grid.

use std::cell::RefCell;
use std::rc::Rc;

use super::Buffer;
use crate::gl::{Blend, Context, Edges, Geometry, Pass, Program, Rect, Rounding, Target, Texture};
use crate::{Error, Result, kernels};

/// How elements are combined, component by component: associative, with an identity.
#[derive(Clone, Debug)]
pub struct Operator {
    name: String,
    expression: String,
    identity: [f32; 4],
    /// Whether far elements may be combined before near ones.
    commutative: bool,
    on_cpu: Option<fn(f64, f64) -> f64>,
}

impl Operator {
    /// a + b. Error at most (⌈log₂ n⌉ + 2)·2⁻²⁴·Σ|x| in 32-bit buffers: the additions form a tree in and
    /// between passes.
    pub fn sum() -> Operator {
        Operator::built_in("sum", "a + b", 0.0, |a, b| a + b)
    }

    /// a · b.
    pub fn product() -> Operator {
        Operator::built_in("product", "a * b", 1.0, |a, b| a * b)
    }

    /// The smaller. What a NaN does is the driver's choice.
    pub fn min() -> Operator {
        Operator::built_in("min", "min(a, b)", f32::INFINITY, f64::min)
    }

    /// The larger. What a NaN does is the driver's choice.
    pub fn max() -> Operator {
        Operator::built_in("max", "max(a, b)", f32::NEG_INFINITY, f64::max)
    }

    fn built_in(name: &str, expression: &str, identity: f32, on_cpu: fn(f64, f64) -> f64) -> Operator {
        let on_cpu = Some(on_cpu);
        Operator { commutative: true, on_cpu, ..Operator::custom(name, expression, [identity; 4]) }
    }

    /// An operator of the user's: a GLSL expression of `vec4 a, b` that is associative, and its identity.
    ///
    /// It need not commute: left to right, then row after row, the order is kept. The product of 2×2
    /// matrices stored by rows is `a.xxzz * b.xyxy + a.yyww * b.zwzw`, with identity (1, 0, 0, 1).
    pub fn custom(name: &str, expression: &str, identity: [f32; 4]) -> Operator {
        let (name, expression) = (name.to_owned(), expression.to_owned());
        Operator { name, expression, identity, commutative: false, on_cpu: None }
    }
}

/// Which elements one fragment combines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A block of side × side neighbours, as two of the papers do it.
    Adjacent(u32),
    /// Elements as far apart as the result is wide and high, side × side of them: neighbouring fragments
    /// then fetch neighbouring texels. Side 2 is ch. 31's four quadrants.
    Far(u32),
}

impl Default for Step {
    /// 8 × 8 far elements: the fastest measured at 1024² and above (`docs/measured.md`).
    fn default() -> Step {
        Step::Far(8)
    }
}

/// A reduction with its operator; compiles each kernel it needs once.
///
/// What lies between passes is stored in the buffer's own precision: a sum of 16-bit numbers ends at 65 504.
///
/// w × h elements take ⌈(⌈log₂ w⌉ + ⌈log₂ h⌉) / log₂ side²⌉ passes, each writing a side²-th of the last. A
/// non-commutative operator goes along rows first, then down the columns, and always by adjacent elements.
pub struct Reduction {
    context: Rc<Context>,
    operator: Operator,
    step: Step,
    stop_at: usize,
    variants: RefCell<Vec<Variant>>,
}

/// What one kernel does: halvings along x and y, what it must guard against, how it stores.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    x: u32,
    y: u32,
    guard: Guard,
    rounding: Rounding,
}

/// A compiled kernel, and what its constants are.
struct Variant {
    key: Key,
    program: Program,
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
        let reduced = Buffer::of(self.reduce(buffer, true, true, self.stop_at)?, buffer);
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
        Ok(Buffer::of(self.reduce(buffer, true, true, 1)?, buffer))
    }

    /// Each row to one element: a buffer of one column (`pugReduce1D`).
    ///
    /// # Errors
    /// As [`Reduction::value`].
    pub fn rows(&self, buffer: &Buffer) -> Result<Buffer> {
        Ok(Buffer::of(self.reduce(buffer, true, false, 1)?, buffer))
    }

    /// Each column to one element: a buffer of one row (`pugReduce1D`).
    ///
    /// # Errors
    /// As [`Reduction::value`].
    pub fn columns(&self, buffer: &Buffer) -> Result<Buffer> {
        Ok(Buffer::of(self.reduce(buffer, false, true, 1)?, buffer))
    }

    fn reduce(&self, buffer: &Buffer, along_x: bool, along_y: bool, stop_at: usize) -> Result<Texture> {
        if !Rc::ptr_eq(&self.context, buffer.context()) {
            return Err(Error::OtherContext { what: buffer.describe() });
        }
        if buffer.access() == super::Access::Write {
            let (mode, used) = ("write-only", "reduced");
            return Err(Error::Access { buffer: buffer.describe(), mode, used });
        }
        let (mut width, mut height) = (buffer.width(), buffer.height());
        let mut tail = buffer.fold().map_or(width, |fold| fold.tail());
        let mut newest: Option<Texture> = None;
        loop {
            let x = if along_x { halvings(width) } else { 0 };
            let y = if along_y { halvings(height) } else { 0 };
            let done = width as usize * height as usize <= stop_at && tail == width;
            if done || x + y == 0 {
                break;
            }
            let (x, y) = self.share(x, y);
            let (to_width, to_height) = (width.div_ceil(1 << x), height.div_ceil(1 << y));
            let guard = if tail < width {
                Guard::Tail
            } else if to_width << x != width || to_height << y != height {
                Guard::Bounds
            } else {
                Guard::None
            };
            let source = newest.as_ref().unwrap_or(buffer.texture());
            let shape =
                crate::gl::Shape { width: to_width, height: to_height, format: source.shape().format };
            let target = self.context.texture(shape)?;
            let bounds = [width as f32, height as f32, tail as f32, 0.0];
            let rounding = buffer.precision().rounding();
            self.pass(source, &target, Key { x, y, guard, rounding }, bounds)?;
            (width, height, tail) = (to_width, to_height, to_width);
            newest = Some(target);
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

    /// How many halvings of each side the next pass makes: no more fetches than the step and the limits say.
    fn share(&self, x: u32, y: u32) -> (u32, u32) {
        let (Step::Adjacent(side) | Step::Far(side)) = self.step;
        let most = (2 * side.ilog2()).min(self.context.limits().fetches.max(2).ilog2());
        if !self.operator.commutative && x > 0 {
            return (x.min(most), 0);
        }
        let (half_x, half_y) = (x.min(most - most / 2), y.min(most / 2));
        let rest = most - half_x - half_y;
        let more_x = (x - half_x).min(rest);
        (half_x + more_x, half_y + (y - half_y).min(rest - more_x))
    }

    fn pass(&self, source: &Texture, target: &Texture, key: Key, bounds: [f32; 4]) -> Result<()> {
        let place = self.variant(key)?;
        let variants = self.variants.borrow();
        let Variant { program, constants, .. } = &variants[place];
        let (x, y) = ((1 << key.x) as f32, (1 << key.y) as f32);
        let (width, height) = (target.shape().width as f32, target.shape().height as f32);
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
                Constant::Bounds => bounds,
                Constant::Identity => self.operator.identity,
            };
        }
        self.context.draw(&Pass {
            program,
            streams: &[Some((source, Edges::Clamp))],
            constants: &values[..constants.len()],
            domains: &[domain],
            target: Target::Textures(&[target]),
            range: Rect::whole(target.shape().width, target.shape().height),
            blend: Blend::Replace,
            depth_stencil: None,
            geometry: Geometry::Quad,
        })
    }

    /// Whether far elements are combined before near ones.
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
            .define("GUARD", key.guard as u32);
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
        let program = self.context.program(&kernel, key.rounding)?;
        let constants = program.constants.iter().map(|slot| match slot.name.as_str() {
            "stride" => Constant::Stride,
            "bounds" => Constant::Bounds,
            _ => Constant::Identity,
        });
        let constants = constants.collect();
        variants.push(Variant { key, program, constants });
        Ok(variants.len() - 1)
    }
}

/// How often a side must be halved, rounding up, to become 1.
fn halvings(side: u32) -> u32 {
    side.next_power_of_two().ilog2()
}
