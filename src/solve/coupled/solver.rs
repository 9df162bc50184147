//! The solver of a coupled system on the GPU: split, blocks, merge.

use std::rc::Rc;

use super::inverse::{Effort, Helmholtz, Inverse, Known};
use super::part::LinearPart;
use super::plan::{Block, Coupling, Pair, Plan, short};
use super::volumes::FiniteVolumes;
use crate::gl::{Format, Rect, Shape, Texture};
use crate::linalg::{LinearOperator, NinePoint, Op, Vector};
use crate::pug::{Buffer, Terms};
use crate::{Error, Result};

const SPLIT: &str = "solve/coupled_split.frag";
const MERGE: &str = "solve/coupled_merge.frag";

/// Declarations of a kernel's targets beside the first, by their number.
const MORE: [&str; 4] =
    ["", "RANGE vec4 y1;", "RANGE vec4 y1; RANGE vec4 y2;", "RANGE vec4 y1; RANGE vec4 y2; RANGE vec4 y3;"];

/// Solves (c₀ I − γΔt J) δ = R for up to four fields at once, with up to eight unknowns where auxiliary fields are among them.
///
/// R and δ are buffers with a node a texel and a field a channel. One pass splits R into combinations that a generalised real Schur form
/// of the fields' matrices makes block triangular; blocks are solved one after another, each of 1 + sΛ (a division, conjugate gradients or
/// multigrid) or 1 + c₁Λ + c₂Λ² (two of those where its roots are real, else conjugate gradients preconditioned by (1 + √c₂Λ)²); one pass merges
/// the solutions to δ and adds it to the state. Solves begin with the last solution.
pub struct Coupled {
    volumes: Rc<FiniteVolumes>,
    plan: Plan,
    solvers: Vec<Solver>,
    /// A diagonal a V, or a V + b K, for each coupling.
    couplings: Vec<Rc<NinePoint>>,
    unknowns: Vec<Vector>,
    /// The sums of V y, a texel each, where something is conserved.
    sums: Option<Texture>,
    /// 1/ΣV for each field that conserves, else 0.
    shares: [f32; 4],
}

/// The solver of a block.
enum Solver {
    /// y = V⁻¹ b.
    Division,
    /// One or two Helmholtz solves, or one of a square.
    One(Box<Inverse>),
    Two(Box<TwoSolver>),
}

impl Solver {
    fn inverses(&self) -> Vec<&Inverse> {
        match self {
            Solver::Division => Vec::new(),
            Solver::One(inverse) => vec![inverse.as_ref()],
            Solver::Two(two) => {
                let first = two.first.as_ref().and_then(|first| first.inverse.as_ref());
                two.inverses.iter().chain(first).collect()
            }
        }
    }
}

/// A pair on the GPU. Matrices are there where they are needed.
struct TwoSolver {
    pair: Pair,
    /// α V + β K of ρ₁.
    outer: Option<NinePoint>,
    middle: Vector,
    inverses: Vec<Inverse>,
    /// (κ' V + λ' K) of y₁, and what y₀ is then solved with; see [`TwoSolver::new`].
    first: Option<First>,
}

struct First {
    /// The share of ρ₀, and of ρ₁.
    shares: [f64; 2],
    own: NinePoint,
    /// None for a division.
    inverse: Option<Inverse>,
}

impl TwoSolver {
    fn new(volumes: &FiniteVolumes, pair: Pair, laplacian: &Rc<NinePoint>) -> Result<TwoSolver> {
        let mut inverses = Vec::new();
        let mut root = None;
        match pair.factors {
            Some(factors) => {
                for s in factors.into_iter().filter(|s| *s != 0.0) {
                    let helmholtz = Helmholtz::new(volumes, s, false)?;
                    inverses.push(Inverse::of_helmholtz(volumes, &helmholtz)?);
                    root.get_or_insert((s, helmholtz));
                }
            }
            None => {
                let s = pair.c[1].sqrt();
                let helmholtz = Helmholtz::new(volumes, s, s * volumes.largest() > 1.0)?;
                inverses.push(Inverse::of_square(volumes, pair.c, &helmholtz, laplacian)?);
                root = Some((s, helmholtz));
            }
        }
        // y₀: any multiple t of the second row may be added to the first, (α + t + βΛ) y₀ = ρ₀ + t ρ₁ − (κ + tq + (λ + ts)Λ) y₁. With
        // α + t = β/s' it is solved by a matrix 1 + s'Λ that is there already. Taking y₀ from the second row alone would multiply the
        // error of y₁ by Λ.
        let [(alpha, beta), (kappa, lambda), (q, s)] =
            [pair.outer, pair.own, pair.inner].map(|[a, b]| (a, b));
        let first = match (pair.both, root) {
            (false, _) => None,
            (true, Some((root, helmholtz))) if beta != 0.0 => {
                let diagonal = beta / root;
                let t = diagonal - alpha;
                Some(First {
                    shares: [1.0 / diagonal, t / diagonal],
                    own: volumes.matrix((kappa + t * q) / diagonal, (lambda + t * s) / diagonal)?,
                    inverse: Some(Inverse::of_helmholtz(volumes, &helmholtz)?),
                })
            }
            (true, _) => Some(First { shares: [0.0, 1.0], own: volumes.matrix(q, s)?, inverse: None }),
        };
        let outer = match pair.outer {
            [0.0, 0.0] => None,
            [a, b] => Some(volumes.matrix(a, b)?),
        };
        let middle = volumes.algebra().zeros(volumes.layout())?;
        Ok(TwoSolver { pair, outer, middle, inverses, first })
    }

    /// Solves for both unknowns from the weighted right sides of both rows.
    fn solve(
        &mut self,
        volumes: &FiniteVolumes,
        sides: [Option<&Vector>; 2],
        unknowns: &mut [Vector],
        tolerance: Option<f64>,
    ) -> Result<Effort> {
        let vector = || Vector::uninitialised(volumes.algebra(), volumes.layout());
        let mut effort = Effort::default();
        let [first, second] = self.pair.at;
        let mut room = vector()?;
        let side = match (&self.outer, sides) {
            (Some(outer), [of_0, Some(of_1)]) => {
                let mut plain = vector()?;
                plain.set_product(1.0, volumes.inverse(), of_1)?;
                match of_0 {
                    Some(of_0) => outer.residual(&plain, of_0, &mut room)?,
                    None => {
                        outer.apply(Op::Null, &plain, &mut room)?;
                        room.scale(-1.0)?;
                    }
                }
                &room
            }
            (_, [Some(of_0), _]) => of_0,
            _ => {
                room.fill(0.0)?;
                &room
            }
        };
        match &mut self.inverses[..] {
            [] => unknowns[second].set_product(1.0, volumes.inverse(), side)?,
            [one] => effort.add(one.solve(side, &mut unknowns[second], tolerance)?),
            [one, two, ..] => {
                effort.add(one.solve(side, &mut self.middle, tolerance)?);
                if volumes.is_whole() {
                    effort.add(two.solve(&self.middle, &mut unknowns[second], tolerance)?);
                } else {
                    let mut weighted = vector()?;
                    weighted.set_product(1.0, volumes.volume(), &self.middle)?;
                    effort.add(two.solve(&weighted, &mut unknowns[second], tolerance)?);
                }
            }
        }
        let Some(wanted) = &mut self.first else { return Ok(effort) };
        let mut base = vector()?;
        match sides {
            [Some(of_0), Some(of_1)] => {
                base.set_sum(wanted.shares[0] as f32, of_0, wanted.shares[1] as f32, of_1)?;
            }
            [Some(of_0), None] => base.set_scaled(wanted.shares[0] as f32, of_0)?,
            [None, Some(of_1)] => base.set_scaled(wanted.shares[1] as f32, of_1)?,
            [None, None] => base.fill(0.0)?,
        }
        let mut rest = vector()?;
        wanted.own.residual(&unknowns[second], &base, &mut rest)?;
        match &mut wanted.inverse {
            Some(inverse) => effort.add(inverse.solve(&rest, &mut unknowns[first], tolerance)?),
            None => unknowns[first].set_product(1.0, volumes.inverse(), &rest)?,
        }
        Ok(effort)
    }

    fn inverses(&mut self) -> impl Iterator<Item = &mut Inverse> {
        let first = self.first.as_mut().and_then(|first| first.inverse.as_mut());
        self.inverses.iter_mut().chain(first)
    }
}

impl Coupled {
    /// The solver of c₀ − γΔt J, with `step` = γΔt. `conserves` says of which fields the sum of δ over all cells is 0.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for a part that is singular or of wrong shape; [`Error::Unsupported`] where there are fewer than two render
    /// targets; those of [`Multigrid::new`](crate::solve::Multigrid::new).
    pub fn new(
        volumes: &Rc<FiniteVolumes>,
        part: &LinearPart,
        system: (f64, f64),
        conserves: &[bool],
    ) -> Result<Coupled> {
        Coupled::of_fields(volumes, part, system, conserves, &(0..part.fields).collect::<Vec<_>>())
    }

    /// The same for some of the fields alone, which depend on no others.
    pub(super) fn of_fields(
        volumes: &Rc<FiniteVolumes>,
        part: &LinearPart,
        (c0, step): (f64, f64),
        conserves: &[bool],
        fields: &[usize],
    ) -> Result<Coupled> {
        part.check()?;
        let algebra = volumes.algebra();
        if algebra.gpu().limits().targets < 2 {
            return Err(Error::Unsupported {
                what: "implicit steps".into(),
                needs: "two render targets",
                renderer: algebra.context().limits_name().to_owned(),
            });
        }
        let mut plan = Plan::new(part, (c0, step), volumes.largest())?;
        if fields.len() < part.fields {
            plan.keep(fields);
        }
        if !plan.is_positive(volumes.largest()) {
            let blocks: Vec<String> = plan.blocks.iter().map(Block::to_string).collect();
            return Err(Error::BadParameter {
                name: "implicit part",
                found: blocks.join("; "),
                expected: format!("blocks above 0 for all Λ from 0 to {}", short(volumes.largest())),
            });
        }
        let laplacian = Rc::new(volumes.matrix(0.0, 1.0)?);
        let mut solvers = Vec::new();
        for block in &plan.blocks {
            solvers.push(match *block {
                Block::One { s: 0.0, .. } => Solver::Division,
                Block::One { s, .. } => Solver::One(Box::new(Inverse::of_helmholtz(
                    volumes,
                    &Helmholtz::new(volumes, s, false)?,
                )?)),
                Block::Two(pair) => Solver::Two(Box::new(TwoSolver::new(volumes, pair, &laplacian)?)),
            });
        }
        let coupled = |coupling: &Coupling| volumes.matrix(coupling.a, coupling.b).map(Rc::new);
        let couplings = plan.couplings.iter().map(coupled).collect::<Result<_>>()?;
        let unknowns = plan.left.iter().map(|_| algebra.zeros(volumes.layout())).collect::<Result<_>>()?;
        let whole: f64 = volumes.shares().iter().sum();
        let mut shares = [0.0; 4];
        shares
            .iter_mut()
            .zip(conserves)
            .for_each(|(share, &is)| *share = if is { (1.0 / whole) as f32 } else { 0.0 });
        let sums = match shares {
            [0.0, 0.0, 0.0, 0.0] => None,
            _ => {
                let shape = Shape { width: plan.left.len() as u32, height: 1, format: Format::Rgba32F };
                Some(algebra.context().texture(shape)?)
            }
        };
        Ok(Coupled { volumes: volumes.clone(), plan, solvers, couplings, unknowns, sums, shares })
    }

    /// The blocks in the order of solving.
    pub fn blocks(&self) -> &[Block] {
        &self.plan.blocks
    }

    /// δ from R, and next = u + δ. With a tolerance, relative to each block's right side, residuals are looked at, and solves go on until
    /// they are below it; without, each goes on for as long as at the last look.
    ///
    /// `next` and `change` must be other buffers than `u` and `r`; all of the grid's size. Where a node takes no part, δ is R: what a fixed value
    /// changes by.
    ///
    /// # Errors
    /// [`Error::WrongShape`], [`Error::OtherContext`], [`Error::Feedback`].
    pub fn solve(
        &mut self,
        r: &Buffer,
        u: &Buffer,
        [next, change]: [&Buffer; 2],
        tolerance: Option<f64>,
    ) -> Result<Effort> {
        for buffer in [r, u, next, change] {
            self.check(buffer)?;
        }
        self.solve_textures(r.texture(), u.texture(), [next.texture(), change.texture()], tolerance)
    }

    /// The same with textures of four components.
    pub(super) fn solve_textures(
        &mut self,
        r: &Texture,
        u: &Texture,
        [next, change]: [&Texture; 2],
        tolerance: Option<f64>,
    ) -> Result<Effort> {
        let mut sides = self.split(r)?;
        let mut effort = Effort::default();
        let (volumes, plan) = (&*self.volumes, &self.plan);
        for (block, solver) in plan.blocks.iter().zip(&mut self.solvers) {
            let rows = block.unknowns();
            for (coupling, matrix) in plan.couplings.iter().zip(&self.couplings) {
                if rows.contains(&coupling.row) {
                    let known = &self.unknowns[coupling.column];
                    let mut rest = Vector::uninitialised(volumes.algebra(), volumes.layout())?;
                    match &sides[coupling.row] {
                        Some(side) => matrix.residual(known, side, &mut rest)?,
                        None => {
                            matrix.apply(Op::Null, known, &mut rest)?;
                            rest.scale(-1.0)?;
                        }
                    }
                    sides[coupling.row] = Some(rest);
                }
            }
            match solver {
                Solver::Two(two) => {
                    let own = [rows[0], rows[1]].map(|row| sides[row].as_ref());
                    effort.add(two.solve(volumes, own, &mut self.unknowns, tolerance)?);
                }
                Solver::One(inverse) => match &sides[rows[0]] {
                    Some(side) => effort.add(inverse.solve(side, &mut self.unknowns[rows[0]], tolerance)?),
                    None => self.unknowns[rows[0]].fill(0.0)?,
                },
                Solver::Division => match &sides[rows[0]] {
                    Some(side) => self.unknowns[rows[0]].set_product(1.0, volumes.inverse(), side)?,
                    None => self.unknowns[rows[0]].fill(0.0)?,
                },
            }
        }
        self.merge(r, u, [next, change])?;
        Ok(effort)
    }

    fn check(&self, buffer: &Buffer) -> Result<()> {
        let (layout, algebra) = (self.volumes.layout(), self.volumes.algebra());
        if !Rc::ptr_eq(algebra.context(), buffer.context()) {
            return Err(Error::OtherContext { what: buffer.describe() });
        }
        if (buffer.width(), buffer.height()) == (layout.width(), layout.height()) {
            return Ok(());
        }
        let expected = format!("{}x{} nodes", layout.width(), layout.height());
        Err(Error::WrongShape { what: "buffer of fields".into(), found: buffer.describe(), expected })
    }

    /// The rows' right sides, those that R has a part in: one pass for each four of them, or as many as there are targets.
    fn split(&self, r: &Texture) -> Result<Vec<Option<Vector>>> {
        let (algebra, layout) = (self.volumes.algebra(), self.volumes.layout());
        let mut sides: Vec<Option<Vector>> = self.plan.left.iter().map(|_| None).collect();
        let rows: Vec<usize> = (0..sides.len()).filter(|&k| self.plan.left[k] != [0.0; 4]).collect();
        let (width, height) = layout.texels();
        let (width, height) = (width as f32, height as f32);
        let domains = [[-0.5, -0.5, 2.0 * width - 0.5, 2.0 * height - 0.5], [0.0, 0.0, width, height]];
        for rows in rows.chunks((algebra.gpu().limits().targets as usize).clamp(1, 4)) {
            let made: Vec<Vector> =
                rows.iter().map(|_| Vector::uninitialised(algebra, layout)).collect::<Result<_>>()?;
            let constants: Vec<[f32; 4]> =
                rows.iter().map(|&k| self.plan.left[k].map(|v| v as f32)).collect();
            let targets: Vec<&Texture> = made.iter().map(Vector::texture).collect();
            algebra
                .pass_of(SPLIT, &[("COUNT", rows.len() as i32)], |kernel| {
                    kernel.splice("DECLARE_MORE", MORE[rows.len() - 1])
                })?
                .streams([r, self.volumes.volume().texture()])
                .constants(&constants)
                .domains(&domains)
                .onto(&targets)?;
            rows.iter().zip(made).for_each(|(&k, vector)| sides[k] = Some(vector));
        }
        Ok(sides)
    }

    /// change = Z y, next = u + change: one pass, and a reduction before it for each unknown of a field that conserves.
    fn merge(&self, r: &Texture, u: &Texture, [next, change]: [&Texture; 2]) -> Result<()> {
        let (algebra, layout) = (self.volumes.algebra(), self.volumes.layout());
        let wanted: Vec<usize> =
            (0..self.unknowns.len()).filter(|&k| self.plan.right[k] != [0.0; 4]).collect();
        let volume = self.volumes.volume().texture();
        for (place, &k) in wanted.iter().enumerate() {
            let conserved = (0..4).any(|i| self.shares[i] != 0.0 && self.plan.right[k][i] != 0.0);
            if let (Some(sums), true) = (&self.sums, conserved) {
                let place = place as u32;
                let terms = Terms::Products(self.unknowns[k].texture(), volume);
                algebra.sum().reduce_into(terms, true, &[sums], Rect::new(place, 0, place + 1, 1))?;
            }
        }
        let mut constants: Vec<[f32; 4]> =
            wanted.iter().map(|&k| self.plan.right[k].map(|v| v as f32)).collect();
        if self.sums.is_some() {
            constants.push(self.shares);
        }
        let (width, height) = (layout.width() as f32, layout.height() as f32);
        let domains = [[0.0, 0.0, width / 2.0, height / 2.0], [0.0, 0.0, width, height]];
        let given = self.volumes.shares().contains(&0.0);
        let variant = [
            ("COUNT", wanted.len() as i32),
            ("CONSERVE", i32::from(self.sums.is_some())),
            ("GIVEN", i32::from(given)),
        ];
        algebra
            .pass(MERGE, &variant)?
            .streams([u])
            .streams(wanted.iter().map(|&k| self.unknowns[k].texture()))
            .streams(&self.sums)
            .streams([r, volume].into_iter().filter(|_| given))
            .constants(&constants)
            .domains(&domains)
            .onto(&[next, change])
    }

    /// Makes each solve that is not looked at one of a fixed length, which leaves a thirtieth of a right side or less.
    pub(super) fn fix_lengths(&mut self) -> Result<()> {
        self.inverses().try_for_each(Inverse::fix)
    }

    fn inverses(&mut self) -> impl Iterator<Item = &mut Inverse> {
        self.solvers.iter_mut().flat_map(|solver| -> Box<dyn Iterator<Item = &mut Inverse>> {
            match solver {
                Solver::Division => Box::new(std::iter::empty()),
                Solver::One(inverse) => Box::new(std::iter::once(inverse.as_mut())),
                Solver::Two(two) => Box::new(two.inverses()),
            }
        })
    }

    /// The vectors that the next solve begins with.
    fn memories(&self) -> impl Iterator<Item = &Vector> {
        let twos = self.solvers.iter().filter_map(|solver| match solver {
            Solver::Two(two) => Some(&two.middle),
            _ => None,
        });
        self.unknowns.iter().chain(twos)
    }

    fn memories_mut(&mut self) -> impl Iterator<Item = &mut Vector> {
        let twos = self.solvers.iter_mut().filter_map(|solver| match solver {
            Solver::Two(two) => Some(&mut two.middle),
            _ => None,
        });
        self.unknowns.iter_mut().chain(twos)
    }

    /// The kinds and counts that blind solves go by.
    pub(super) fn efforts(&self) -> Vec<Known> {
        self.solvers.iter().flat_map(Solver::inverses).map(|inverse| inverse.known).collect()
    }

    /// True if each solve knows how long it has to be where it is not looked at.
    pub(super) fn is_known(&self) -> bool {
        self.solvers.iter().flat_map(Solver::inverses).all(Inverse::is_known)
    }

    /// The unknowns that the next solve begins with, and for each solve a number of its kind and how long it goes on.
    ///
    /// # Errors
    /// Those of a lost device.
    pub fn memory(&self) -> Result<(Vec<Vec<f32>>, Vec<Known>)> {
        Ok((self.memories().map(Vector::get).collect::<Result<_>>()?, self.efforts()))
    }

    /// The same as copies on the GPU.
    pub(super) fn copied(&self) -> Result<(Vec<Vector>, Vec<Known>)> {
        Ok((self.memories().map(Vector::try_clone).collect::<Result<_>>()?, self.efforts()))
    }

    /// The numbers of vectors and of counts of its memory.
    pub(super) fn places(&self) -> (usize, usize) {
        (self.memories().count(), self.solvers.iter().flat_map(Solver::inverses).count())
    }

    fn same_places(&self, found: usize) -> Result<()> {
        let places = self.memories().count();
        if found == places {
            return Ok(());
        }
        let (found, expected) = (format!("{found} vectors"), format!("{places}"));
        Err(Error::BadParameter { name: "memory of a solver", found, expected })
    }

    /// Sets what [`Coupled::memory`] gave.
    ///
    /// # Errors
    /// [`Error::WrongLength`] for another grid, [`Error::BadParameter`] for another system.
    pub fn remember(&mut self, vectors: &[Vec<f32>], counts: &[Known]) -> Result<()> {
        self.same_places(vectors.len())?;
        let most = super::inverse::MOST_STEPS;
        let is_count = |[_, count]: &Known| (1..=most).contains(count);
        if counts.len() != self.inverses().count() || !counts.iter().all(is_count) {
            let (found, expected) =
                (format!("{counts:?}"), format!("a count for each block, from 1 to {most}"));
            return Err(Error::BadParameter { name: "counts of a solver", found, expected });
        }
        self.memories_mut().zip(vectors).try_for_each(|(place, values)| place.set(values))?;
        self.set_efforts(counts);
        Ok(())
    }

    /// Sets what [`Coupled::copied`] gave.
    pub(super) fn copy_from(&mut self, (vectors, counts): &(Vec<Vector>, Vec<Known>)) -> Result<()> {
        self.same_places(vectors.len())?;
        self.memories_mut().zip(vectors).try_for_each(|(place, from)| place.copy_from(from))?;
        self.set_efforts(counts);
        Ok(())
    }

    pub(super) fn set_efforts(&mut self, counts: &[Known]) {
        self.inverses().zip(counts).for_each(|(inverse, &count)| inverse.known = count);
    }

    /// Takes over what another solver of the same blocks would begin with.
    pub(super) fn inherit(&mut self, other: &mut Coupled) {
        if self.memories().count() == other.memories().count() {
            self.memories_mut().zip(other.memories_mut()).for_each(|(own, other)| std::mem::swap(own, other));
            let counts = other.efforts();
            self.inverses().zip(counts).for_each(|(inverse, count)| inverse.known = count);
        }
    }

    /// Begins the next solve with 0.
    ///
    /// # Errors
    /// Those of passes.
    pub fn forget(&mut self) -> Result<()> {
        self.memories_mut().try_for_each(|vector| vector.fill(0.0))
    }
}
