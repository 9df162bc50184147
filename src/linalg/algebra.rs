//! The compiled kernels and reductions that all scalars, vectors and matrices of a context share.

use std::cell::RefCell;
use std::rc::Rc;

use crate::gl::{Blend, Context, Edges, Format, Geometry, Kernel, Pass, Program, Rect, Rounding, Shape};
use crate::gl::{Target, Texture};
use crate::layout::Packed2x2;
use crate::linalg::{Scalar, Vector};
use crate::pug::{Domain, Gpu, Operator, Reduction};
use crate::{Error, Result, kernels};

/// Makes scalars, vectors and matrices. Clones share the kernels, each of which is compiled once.
#[derive(Clone)]
pub struct Algebra {
    shared: Rc<Shared>,
}

struct Shared {
    gpu: Gpu,
    sum: Reduction,
    max: Reduction,
    min: Reduction,
    programs: RefCell<Vec<Compiled>>,
}

/// A kernel's name, the variant, and the program.
type Compiled = (&'static str, Box<[Define]>, Rc<Program>);

/// A `#define` of a kernel's variant and its value.
pub(crate) type Define = (&'static str, i32);

/// A kernel without variants.
pub(crate) const PLAIN: &[Define] = &[];

impl Algebra {
    /// Linear algebra on that GPU. Nothing is compiled before its first use.
    pub fn new(gpu: &Gpu) -> Algebra {
        let reduction = |operator| gpu.reduction(operator);
        let (sum, max, min) = (Operator::sum(), Operator::max(), Operator::min());
        let shared = Shared {
            gpu: gpu.clone(),
            sum: reduction(sum),
            max: reduction(max),
            min: reduction(min),
            programs: RefCell::default(),
        };
        Algebra { shared: Rc::new(shared) }
    }

    /// The GPU it works on.
    pub fn gpu(&self) -> &Gpu {
        &self.shared.gpu
    }

    /// A scalar of that value (row A1).
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn scalar(&self, value: f32) -> Result<Scalar> {
        Scalar::new(self, value)
    }

    /// A vector of these elements (row A2).
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::OverLimit`] past the texture limit; [`Error::OutOfMemory`].
    pub fn vector(&self, layout: Packed2x2, elements: &[f32]) -> Result<Vector> {
        // The texture first: a size that it refuses must not cost the memory of the packed elements.
        let mut vector = Vector::uninitialised(self, layout)?;
        vector.set(elements)?;
        Ok(vector)
    }

    /// A vector of zeros.
    ///
    /// # Errors
    /// As [`Algebra::vector`].
    pub fn zeros(&self, layout: Packed2x2) -> Result<Vector> {
        let vector = Vector::uninitialised(self, layout)?;
        vector.texture().clear([0.0; 4]);
        Ok(vector)
    }

    pub(crate) fn context(&self) -> &Rc<Context> {
        self.shared.gpu.context()
    }

    pub(crate) fn is(&self, other: &Algebra) -> bool {
        Rc::ptr_eq(self.context(), other.context())
    }

    pub(crate) fn sum(&self) -> &Reduction {
        &self.shared.sum
    }

    pub(crate) fn max(&self) -> &Reduction {
        &self.shared.max
    }

    pub(crate) fn min(&self) -> &Reduction {
        &self.shared.min
    }

    pub(crate) fn texture(&self, layout: Packed2x2) -> Result<Texture> {
        let (width, height) = layout.texels();
        self.context().texture(Shape { width, height, format: Format::Rgba32F }).map_err(
            |error| match error {
                Error::OverLimit { quantity, found, limit, .. } => {
                    Error::OverLimit { what: format!("vector of {layout}"), quantity, found, limit }
                }
                error => error,
            },
        )
    }

    /// The program of a built-in kernel's variant; compiled if it is the first time.
    pub(crate) fn program(&self, name: &'static str, variant: &[Define]) -> Result<Rc<Program>> {
        self.program_made(name, variant, |kernel| kernel)
    }

    /// The same of a kernel whose text is made for the variant.
    pub(crate) fn program_made(
        &self,
        name: &'static str,
        variant: &[Define],
        make: impl FnOnce(Kernel) -> Kernel,
    ) -> Result<Rc<Program>> {
        // The names are the kernels' own constants: their addresses tell them apart, their letters need not.
        let same = |known: &&Compiled| std::ptr::eq(known.0, name) && *known.1 == *variant;
        if let Some((.., program)) = self.shared.programs.borrow().iter().find(same) {
            return Ok(program.clone());
        }
        let kernel = variant
            .iter()
            .fold(make(kernels::named(name)?), |kernel, (define, value)| kernel.define(define, value));
        let program = Rc::new(self.compile(&kernel)?);
        self.shared.programs.borrow_mut().push((name, variant.into(), program.clone()));
        Ok(program)
    }

    pub(crate) fn compile(&self, kernel: &Kernel) -> Result<Program> {
        self.context().program(kernel, Rounding::None)
    }

    /// Draws a quad over all of the targets. Streams and constants come in the order of declaration, and every
    /// domain is the whole of the first target unless `domains` says otherwise.
    pub(crate) fn draw(
        &self,
        program: &Program,
        streams: &[&Texture],
        constants: &[[f32; 4]],
        domains: Option<&[[f32; 4]]>,
        targets: &[&Texture],
    ) -> Result<()> {
        self.draw_over(program, streams, constants, domains, targets, targets[0].shape().rect())
    }

    /// [`Algebra::draw`] over a part of the targets.
    pub(crate) fn draw_over(
        &self,
        program: &Program,
        streams: &[&Texture],
        constants: &[[f32; 4]],
        domains: Option<&[[f32; 4]]>,
        targets: &[&Texture],
        range: Rect,
    ) -> Result<()> {
        self.blend_over(Blend::Replace, program, streams, constants, domains, targets, range)
    }

    /// [`Algebra::draw`] with an edge rule for all streams.
    pub(crate) fn draw_by(
        &self,
        edges: Edges,
        program: &Program,
        streams: &[&Texture],
        constants: &[[f32; 4]],
        domains: Option<&[[f32; 4]]>,
        targets: &[&Texture],
    ) -> Result<()> {
        let range = targets[0].shape().rect();
        self.pass((edges, Blend::Replace), program, streams, constants, domains, targets, range)
    }

    /// [`Algebra::draw_over`], where fragments may be added to what is there.
    #[expect(clippy::too_many_arguments)] // a pass has so many parts; those above are for most
    pub(crate) fn blend_over(
        &self,
        blend: Blend,
        program: &Program,
        streams: &[&Texture],
        constants: &[[f32; 4]],
        domains: Option<&[[f32; 4]]>,
        targets: &[&Texture],
        range: Rect,
    ) -> Result<()> {
        self.pass((Edges::Clamp, blend), program, streams, constants, domains, targets, range)
    }

    #[expect(clippy::too_many_arguments)] // all of a pass
    fn pass(
        &self,
        (edges, blend): (Edges, Blend),
        program: &Program,
        streams: &[&Texture],
        constants: &[[f32; 4]],
        domains: Option<&[[f32; 4]]>,
        targets: &[&Texture],
        range: Rect,
    ) -> Result<()> {
        let found = (program.streams.len(), program.constants.len());
        if found != (streams.len(), constants.len()) {
            // What a compiler leaves out would shift all that come after it.
            let (streams, constants) = (streams.len(), constants.len());
            let message =
                format!("{found:?} streams and constants are left of it, expected ({streams}, {constants})");
            return Err(Error::Driver { what: program.kernel.clone(), message });
        }
        let mut bound = [None; crate::gl::UNITS];
        for (slot, stream) in bound.iter_mut().zip(streams) {
            *slot = Some((*stream, edges));
        }
        let whole = [Domain::from(range).corners; 2];
        self.context().draw(&Pass {
            program,
            streams: &bound[..streams.len()],
            constants,
            domains: domains.unwrap_or(&whole),
            target: Target::Textures(targets),
            range,
            blend,
            depth_stencil: None,
            geometry: Geometry::Quad,
        })
    }
}
