//! The compiled kernels and reductions that all scalars, vectors and matrices of a context share.

use std::cell::RefCell;
use std::rc::Rc;

use crate::gl::{Context, Format, Kernel, Linked, Pass, Prelude, Rounding, Shape, Texture};
use crate::layout::Packed2x2;
use crate::linalg::{Scalar, Vector};
use crate::pug::{Gpu, Operator, Reduction};
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
    compiled: RefCell<Vec<Compiled>>,
}

/// A kernel's name, the variant, and what was compiled of it.
type Compiled = (&'static str, Box<[Define]>, Rc<Linked>);

/// A `#define` of a kernel's variant and its value.
pub(crate) type Define = (&'static str, i32);

/// A kernel without variants.
pub(crate) const PLAIN: &[Define] = &[];

/// A kernel that looks at the neighbours of voxels, with the words for that.
pub(crate) fn of_voxels(kernel: Kernel) -> Kernel {
    kernel.with(Prelude::Voxels)
}

/// A kernel that computes with numbers of two floats, with the words for that.
pub(crate) fn of_doubles(kernel: Kernel) -> Kernel {
    kernel.with(Prelude::DoubleSingle)
}

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
            compiled: RefCell::default(),
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

    /// Begins a pass of a built-in kernel's variant, which is compiled at its first use.
    pub(crate) fn pass(&self, name: &'static str, variant: &[Define]) -> Result<Pass<'_>> {
        self.pass_of(name, variant, |kernel| kernel)
    }

    /// The same of a kernel whose text is made for the variant.
    pub(crate) fn pass_of(
        &self,
        name: &'static str,
        variant: &[Define],
        make: impl FnOnce(Kernel) -> Kernel,
    ) -> Result<Pass<'_>> {
        // The names are the kernels' own constants: their addresses tell them apart, their letters need not.
        let same = |known: &&Compiled| std::ptr::eq(known.0, name) && *known.1 == *variant;
        if let Some((.., linked)) = self.shared.compiled.borrow().iter().find(same) {
            return Ok(self.context().pass(linked.clone()));
        }
        let kernel = variant
            .iter()
            .fold(make(kernels::named(name)?), |kernel, (define, value)| kernel.define(define, value));
        let linked = self.context().compile(&kernel, Rounding::None)?;
        self.shared.compiled.borrow_mut().push((name, variant.into(), linked.clone()));
        Ok(self.context().pass(linked))
    }
}
