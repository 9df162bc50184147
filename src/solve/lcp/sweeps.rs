//! The passes of a sweep.

use super::LcpSolver;
use super::looks::Looks;
use crate::Result;
use crate::gl::{Format, Shape, Texture};
use crate::linalg::Algebra;
use crate::matrix::Matrix;

/// The data of a sweep that it does not change.
pub struct Problem<'s> {
    pub solver: &'s LcpSolver<'s>,
    pub b: &'s Matrix,
    pub bounds: Option<(&'s Matrix, &'s Matrix)>,
    /// The factors of A x + b: ω/aᵢᵢ, or 1/aᵢᵢ for steps with momentum.
    pub d: &'s Matrix,
    pub accelerated: bool,
}

/// The data that sweeps change: the newest x and the two before it, their products with A, and each group's scalars (theta, momentum,
/// step, residual).
pub struct Sweeps<'s> {
    problem: Problem<'s>,
    x: [Matrix; 3],
    products: [Matrix; 3],
    steer: [Texture; 2],
    /// First texel and texels of each group, its least step and the residual at which it rests.
    groups: Texture,
    /// Texels of the longest group.
    longest: usize,
}

const STEP: &str = "solve/lcp_step.frag";
const SURVEY: &str = "solve/lcp_survey.frag";

/// Texels of a group that one fragment surveys if it is alone, and if it has others beside it.
const ALONE: usize = 32;
const EACH: usize = 16;

impl<'s> Sweeps<'s> {
    /// Room for them, starting from x. Goals and least steps are those of each group.
    pub fn new(problem: Problem<'s>, x: &Matrix, goals: &[f32], shares: &[f32]) -> Result<Sweeps<'s>> {
        let solver = problem.solver;
        let algebra = solver.a.algebra();
        let zeros = || Matrix::zeros(algebra, solver.a.size(), 1);
        let scalars = || {
            let height = solver.groups.len() as u32;
            algebra.context().texture(Shape { width: 1, height, format: Format::Rgba32F })
        };
        let (steer, groups) = ([scalars()?, scalars()?], scalars()?);
        let texels = |n: usize| n.div_ceil(4);
        let each = solver.groups.iter().zip(goals).zip(shares);
        let spans = each.flat_map(|((group, goal), share)| {
            [(group.start / 4) as f32, texels(group.n) as f32, *share, *goal]
        });
        groups.upload(groups.shape().rect(), &spans.collect::<Vec<_>>())?;
        let longest = solver.groups.iter().map(|group| texels(group.n)).max().unwrap_or(1);
        let (x, products) = ([x.try_clone()?, zeros()?, zeros()?], [zeros()?, zeros()?, zeros()?]);
        Ok(Sweeps { problem, x, products, steer, groups, longest })
    }

    /// x = clamp(x): what begins a little outside of its bounds must not come to rest there, for the next step would bring it
    /// inside, and it would rest where that leaves the others.
    fn begin(&mut self, max_sweeps: usize) -> Result<()> {
        if self.problem.accelerated && max_sweeps > 0 {
            self.steer[0].clear([1.0, 0.0, 0.0, 0.0]);
            self.step()?;
            self.x.swap(1, 2); // nothing came before
        }
        self.steer[0].clear([1.0, 0.0, 1.0, 0.0]);
        Ok(())
    }

    /// The newest x.
    pub fn x(&self) -> &Matrix {
        &self.x[0]
    }

    /// Sweeps until as many are made or a look says that it is enough. Returns how many were made.
    pub fn run(&mut self, max_sweeps: usize, looks: &mut Looks) -> Result<usize> {
        self.begin(max_sweeps)?;
        for sweep in 0..max_sweeps {
            self.problem.solver.a.apply(&self.x[0], &mut self.products[2])?; // w = A x
            self.products.rotate_right(1);
            let wanted = looks.wants(sweep);
            if self.problem.accelerated || wanted {
                self.survey()?;
            }
            if wanted && !looks.look(sweep, &self.steer[0])? {
                return Ok(sweep);
            }
            self.step()?;
        }
        Ok(max_sweeps)
    }

    fn algebra(&self) -> &Algebra {
        self.problem.solver.a.algebra()
    }

    /// x' = clamp(x + d .* (w + b)): one pass.
    fn step(&mut self) -> Result<()> {
        let Problem { solver, b, bounds, d, accelerated } = &self.problem;
        let variant = [("MOMENTUM", i32::from(*accelerated)), ("BOX", i32::from(bounds.is_some()))];
        let mut pass = self.algebra().pass(STEP, &variant)?;
        pass.streams([&self.x[0], &self.products[0], b, d].map(Matrix::texture));
        if *accelerated {
            pass.streams([&self.x[1], &self.products[1]].map(Matrix::texture));
            pass.streams([&self.steer[0], &solver.group_of]);
        }
        pass.streams(ends(*bounds)).onto(&[self.x[2].texture()])?;
        self.x.rotate_right(1);
        Ok(())
    }

    /// Measures x and goes on to the next scalars of each group: one pass, or one of parts and one or more that bring them
    /// together.
    fn survey(&mut self) -> Result<()> {
        let Problem { solver, b, bounds, .. } = &self.problem;
        let [x, before, earlier] = self.x.each_ref().map(Matrix::texture);
        let [product, product_before, product_earlier] = self.products.each_ref().map(Matrix::texture);
        let inverse = solver.inverse.texture();
        let own = [x, before, earlier, product, product_before, product_earlier, b.texture(), inverse];
        let fetches = self.algebra().gpu().limits().fetches as usize;
        let most = (fetches.saturating_sub(4) / (own.len() + ends(*bounds).count())).max(1);
        let mut parts = match self.longest {
            texels if texels <= ALONE.min(most) => 1,
            texels => texels.div_ceil(EACH.min(most)),
        };
        let rest = [&self.steer[0], &self.groups];
        let boxed = i32::from(bounds.is_some());
        let mut newest =
            self.draw_survey((0, boxed), own.into_iter().chain(ends(*bounds)).chain(rest), parts)?;
        while let Some(partials) = newest {
            let each = fetches.saturating_sub(2).clamp(2, 64);
            parts = parts.div_ceil(each);
            let rest = rest.into_iter().filter(|_| parts == 1);
            newest = self.draw_survey((1, 0), [&partials].into_iter().chain(rest), parts)?;
        }
        self.steer.swap(0, 1);
        Ok(())
    }

    /// Draws so many parts of a survey, which are returned, or the next scalars if there is one.
    fn draw_survey<'a>(
        &'a self,
        (partials, boxed): (i32, i32),
        streams: impl Iterator<Item = &'a Texture>,
        parts: usize,
    ) -> Result<Option<Texture>> {
        let steer = i32::from(parts == 1);
        let variant = [("PARTIALS", partials), ("BOX", boxed), ("STEER", steer)];
        let shape = Shape { width: parts as u32, ..self.groups.shape() };
        let target = if parts == 1 { None } else { Some(self.algebra().context().texture(shape)?) };
        self.algebra()
            .pass(SURVEY, &variant)?
            .streams(streams)
            .constants(&[[parts as f32, 0.0, 0.0, 0.0]])
            .onto(&[target.as_ref().unwrap_or(&self.steer[1])])?;
        Ok(target)
    }
}

/// The textures of both bounds, where there are some.
fn ends<'a>(bounds: Option<(&'a Matrix, &'a Matrix)>) -> impl Iterator<Item = &'a Texture> {
    bounds.into_iter().flat_map(|(lower, upper)| [lower.texture(), upper.texture()])
}
