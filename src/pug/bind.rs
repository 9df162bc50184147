//! The bindings of a kernel and their keys: a name, or a handle found once for the hot path.

use super::{Program, Value};
use crate::gl::Rect;
use crate::{Error, Result};

/// A stream of one program, found by [`Program::stream`]: binding by it looks up no name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamHandle {
    pub(super) program: u64,
    pub(super) place: usize,
}

/// A constant of one program, found by [`Program::constant`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstantHandle {
    pub(super) program: u64,
    pub(super) place: usize,
}

/// A stream's name or handle.
pub trait StreamKey {
    /// The stream's place in the program.
    ///
    /// # Errors
    /// [`Error::UnknownName`], [`Error::UnusedName`], [`Error::WrongType`].
    fn stream_in(&self, program: &Program) -> Result<usize>;
}

impl StreamKey for &str {
    fn stream_in(&self, program: &Program) -> Result<usize> {
        Ok(program.stream(self)?.place)
    }
}

impl StreamKey for StreamHandle {
    fn stream_in(&self, program: &Program) -> Result<usize> {
        program.check_handle("stream", self.program, self.place)
    }
}

/// A constant's name or handle.
pub trait ConstantKey {
    /// The constant's place in the program.
    ///
    /// # Errors
    /// [`Error::UnknownName`], [`Error::UnusedName`], [`Error::WrongType`].
    fn constant_in(&self, program: &Program) -> Result<usize>;
}

impl ConstantKey for &str {
    fn constant_in(&self, program: &Program) -> Result<usize> {
        Ok(program.constant(self)?.place)
    }
}

impl ConstantKey for ConstantHandle {
    fn constant_in(&self, program: &Program) -> Result<usize> {
        program.check_handle("constant", self.program, self.place)
    }
}

impl Program {
    /// A handle of another program, or from before a reload, may stand for anything here.
    fn check_handle(&self, kind: &'static str, program: u64, place: usize) -> Result<usize> {
        if program == self.serial {
            return Ok(place);
        }
        let (kernel, name) = (self.name().to_owned(), format!("#{place} (handle of another program)"));
        Err(Error::UnknownName { kernel, kind, name, has: self.declared_of(kind) })
    }
}

/// One to four floats: a value that [`Program::bind_float`] takes.
pub trait Floats: Value {}

impl Floats for f32 {}

impl<const N: usize> Floats for [f32; N] {}

/// The domain of a pass: the rectangle, in texels, whose corners the rasterizer spreads over the range.
///
/// A domain of the range's size gives every fragment its own texel's centre, to within 6·side·2⁻²⁴ of a texel (a fetch
/// there is exact). A smaller domain magnifies, a larger one minifies (§31.3.5). If it minifies by an even factor, the
/// positions lie between texels: move the domain by half a texel and fetch neighbours by `valueOffset`, as
/// [`Pyramid`](crate::streams::Pyramid), an image pyramid, does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Domain {
    /// Left, lower, right and upper edge; texel (x, y) covers x to x + 1 and y to y + 1.
    pub corners: [f32; 4],
}

impl Domain {
    /// The rectangle from (x0, y0) to (x1, y1), in texels.
    pub const fn new(x0: f32, y0: f32, x1: f32, y1: f32) -> Domain {
        Domain { corners: [x0, y0, x1, y1] }
    }
}

impl From<Rect> for Domain {
    fn from(rect: Rect) -> Domain {
        Domain { corners: rect.corners() }
    }
}
