//! The correction of a field after advection, which keeps its total.
//!
//! The correction is q + λ|q|, with sums that stay on the GPU. A factor instead would grow without bound where heat and
//! cold sum to 0.

use super::fade::Fade;
use super::grid::wrong_shape;
use crate::pug::{Buffer, DoubleBuffer, Gpu, Operator, Program, Reduction, StreamHandle, Terms};
use crate::{Error, Result};

const KEEP: &str = "sim/fluid_keep.frag";
const TALLY: &str = "sim/fluid_tally.frag";

/// The sum of each component of a field, which a step is not to change: of the field at first, and of all that was poured.
///
/// Semi-Lagrangian steps lose matter, and MacCormack's make it. [`MassCorrection::keep`] puts back what is missing in proportion to what
/// is there, q + λ|q|: nothing changes its sign, what is 0 stays 0, and numbers of both signs whose sum is near 0 do not
/// grow. A step gives or takes half at most; what is missing after that waits for the next one.
///
/// Nothing is read back: the sums are kept in texels. The account is of f32, and is off by (⌈log₂ n⌉ + 2)·2⁻²⁴ of Σ|q| for n
/// elements, after 1000 steps as after one; each time that something is poured adds as much of two sums at most.
///
/// Every element counts alike: what solids hold is part of the sum, and nodes at the sides of a collocated grid, which have half a
/// cell, are whole ones. A box that has an inlet or an outlet loses and gains what is none of the account's
/// business: there is nothing to keep then, so do not call [`MassCorrection::keep`]; when the sides are closed again, begin anew.
///
/// # Example
/// ```
/// # fn main() -> quadrille::Result<()> {
/// use quadrille::Gpu;
/// use quadrille::sim::fluid::MassCorrection;
///
/// let gpu = Gpu::headless()?;
/// let (before, after) = (gpu.buffer(2, 2).init(&[1.0; 4])?, gpu.buffer(2, 2).init(&[1.0, 1.5, 1.25, 0.0])?);
/// let mut total = MassCorrection::new(&gpu, &before)?;
/// let kept = gpu.buffer(2, 2).build()?;
/// total.keep(&after, &kept)?;
/// assert_eq!(kept.data()?.iter().sum::<f32>(), 4.0);
/// assert_eq!(total.lost()?, [0.25]);
/// # Ok(())
/// # }
/// ```
pub struct MassCorrection {
    sums: Reduction,
    tally: Tally,
    keep: Keep,
    fade: Fade,
    components: usize,
    /// The amounts that there are to be, and what steps have lost of them so far: a texel each.
    kept: DoubleBuffer,
    lost: DoubleBuffer,
    /// Σ q and Σ |q| of a field, the second with what is put back, and the sum before something is poured.
    sum: Buffer,
    magnitude: Buffer,
    raised: Buffer,
    before: Buffer,
}

/// a + b − c, a texel each.
struct Tally {
    program: Program,
    terms: [StreamHandle; 3],
}

/// The pass over the field, and over its Σ|q|.
struct Keep {
    program: Program,
    field: StreamHandle,
    kept: StreamHandle,
}

impl MassCorrection {
    /// The total of the field as it is now.
    ///
    /// # Errors
    /// Those of making buffers of a texel; as [`MassCorrection::keep`].
    pub fn new(gpu: &Gpu, field: &Buffer) -> Result<MassCorrection> {
        let texel = |name: &str| gpu.buffer(1, 1).components(4).named(name);
        let (sum, magnitude) = (texel("sum").build()?, texel("magnitude").build()?);
        let mut keep = gpu.builtin(KEEP)?;
        keep.bind_stream("sum", &sum)?.bind_stream("magnitude", &magnitude)?;
        let tally = gpu.builtin(TALLY)?;
        let mut total = MassCorrection {
            sums: gpu.reduction(Operator::sum()),
            tally: Tally {
                terms: [tally.stream("a")?, tally.stream("b")?, tally.stream("c")?],
                program: tally,
            },
            fade: Fade::new(gpu)?,
            keep: Keep { field: keep.stream("field")?, kept: keep.stream("kept")?, program: keep },
            components: field.components(),
            kept: texel("total").double().build()?,
            lost: texel("lost").double().build()?,
            raised: texel("magnitude with what is put back").build()?,
            before: texel("sum before").build()?,
            sum,
            magnitude,
        };
        total.begin(field)?;
        Ok(total)
    }

    /// Begins anew with the field as it is now: a reduction.
    ///
    /// # Errors
    /// As [`MassCorrection::keep`].
    pub fn begin(&mut self, field: &Buffer) -> Result<()> {
        self.renew(field)?;
        self.lost.front().texture().clear([0.0; 4]);
        Ok(())
    }

    /// The field as it is now is what there is to be; what was lost before is remembered. A reduction: for those whose fields
    /// change by much else than transport, and before each step.
    ///
    /// # Errors
    /// As [`MassCorrection::keep`].
    pub fn renew(&mut self, field: &Buffer) -> Result<()> {
        self.check(field)?;
        self.add_up(Terms::Values(field.texture()), self.kept.front())
    }

    /// This is what there is to be from now on, as another account's [`MassCorrection::kept`] had it.
    ///
    /// # Errors
    /// [`WrongLength`](crate::Error::WrongLength) for another number of components.
    pub fn set_kept(&mut self, kept: &[f32]) -> Result<()> {
        if kept.len() != self.components {
            let (found, expected, shape) = (kept.len(), self.components, "a number each".to_owned());
            return Err(Error::WrongLength { what: "total".into(), found, expected, shape });
        }
        let mut texel = [0.0; 4];
        texel[..kept.len()].copy_from_slice(kept);
        self.kept.write(&texel)
    }

    /// The field is about to be poured into, or to be changed by anything but transport: a reduction.
    ///
    /// # Errors
    /// As [`MassCorrection::keep`].
    pub fn before_pouring(&mut self, field: &Buffer) -> Result<()> {
        self.check(field)?;
        self.add_up(Terms::Values(field.texture()), &self.before)
    }

    /// The field has been: what it has now more than before is there to stay. A reduction and a pass of one texel.
    ///
    /// # Errors
    /// As [`MassCorrection::keep`].
    pub fn after_pouring(&mut self, field: &Buffer) -> Result<()> {
        self.check(field)?;
        self.add_up(Terms::Values(field.texture()), &self.sum)?;
        self.tally.run([self.kept.front(), &self.sum, &self.before], self.kept.back())?;
        self.kept.swap();
        Ok(())
    }

    /// So much is left of what there is to be, as of a field that fades: a pass of one texel.
    pub fn fade(&mut self, remaining: f32) -> Result<()> {
        self.fade.run(self.kept.front(), remaining, self.kept.back())?;
        self.kept.swap();
        Ok(())
    }

    /// `out` = the field with what is missing put back: two reductions, one pass over the field of four fetches and a texel
    /// written each, and two of one texel.
    ///
    /// # Errors
    /// [`WrongShape`](crate::Error::WrongShape) for another number of components; [`Feedback`](crate::Error::Feedback) if `out`
    /// is the field.
    pub fn keep(&mut self, field: &Buffer, out: &Buffer) -> Result<()> {
        self.check(field)?;
        self.add_up(Terms::Values(field.texture()), &self.sum)?;
        self.add_up(Terms::Magnitudes(field.texture()), &self.magnitude)?;
        self.keep.run(field, self.kept.front(), out)?;
        // Σ|q| gets the same correction as each element.
        self.keep.run(&self.magnitude, self.kept.front(), &self.raised)?;
        self.tally.run([self.lost.front(), &self.raised, &self.magnitude], self.lost.back())?;
        self.lost.swap();
        Ok(())
    }

    /// The amount that there is to be of each component. Waits for the GPU.
    pub fn kept(&self) -> Result<Vec<f32>> {
        self.read(self.kept.front())
    }

    /// The loss of transport in each component since the beginning, as far as [`MassCorrection::keep`] has put it back. Waits for the
    /// GPU.
    pub fn lost(&self) -> Result<Vec<f32>> {
        self.read(self.lost.front())
    }

    /// So much was lost before, as [`MassCorrection::lost`] had it.
    pub(in crate::sim) fn set_lost(&mut self, lost: &[f32; 4]) -> Result<()> {
        self.lost.write(lost)
    }

    /// How much of each component a field misses of what there is to be, whether it was corrected or not. Waits for the GPU.
    ///
    /// # Errors
    /// As [`MassCorrection::keep`].
    pub fn missing(&self, field: &Buffer) -> Result<Vec<f32>> {
        self.check(field)?;
        self.add_up(Terms::Values(field.texture()), &self.sum)?;
        let (kept, found) = (self.kept()?, self.read(&self.sum)?);
        Ok(kept.iter().zip(&found).map(|(kept, found)| kept - found).collect())
    }

    fn add_up(&self, terms: Terms, target: &Buffer) -> Result<()> {
        self.sums.reduce_into(terms, false, &[target.texture()], target.rect())
    }

    fn read(&self, texel: &Buffer) -> Result<Vec<f32>> {
        let mut values = texel.data()?;
        values.truncate(self.components);
        Ok(values)
    }

    fn check(&self, field: &Buffer) -> Result<()> {
        let fits = field.components() == self.components;
        if fits { Ok(()) } else { Err(wrong_shape(field, format!("{} components", self.components))) }
    }
}

impl Keep {
    fn run(&mut self, field: &Buffer, kept: &Buffer, target: &Buffer) -> Result<()> {
        self.program.bind_stream(self.field, field)?.bind_stream(self.kept, kept)?;
        self.program.run(target)
    }
}

impl Tally {
    fn run(&mut self, buffers: [&Buffer; 3], target: &Buffer) -> Result<()> {
        for (term, buffer) in self.terms.iter().zip(buffers) {
            self.program.bind_stream(*term, buffer)?;
        }
        self.program.run(target)
    }
}
