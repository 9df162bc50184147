//! Systems whose fields depend on each other and have unlike edges or D: stabilised bi-conjugate gradients around the solves of each kind.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::inverse::{Effort, Known, MOST, largest};
use super::part::LinearPart;
use super::plan::Block;
use super::solver::Coupled;
use super::volumes::{FiniteVolumes, Group, JOIN, own};
use crate::gl::{Format, Shape, Texture};
use crate::layout::Edges;
use crate::linalg::{Algebra, LinearOperator, Op, Packed2x2, Vector};
use crate::pug::{Buffer, Terms};
use crate::solve::{BiCgStab, Bounds, History, Iteration, Preconditioner, Reason, iterate};
use crate::{Error, Result};

const PRODUCT: &str = "solve/coupled_product.frag";
const GIVEN: &str = "solve/coupled_given.frag";

/// The kind of this way in [`Known`].
const KIND: usize = 5;

/// Iterations of a blind solve beyond those of the last look. Steps after the tolerance is met change nothing.
const SPARE: usize = 2;

/// Iterations after which a solve begins again with the residual that is left: ρ may have come close to 0.
const AGAIN: usize = 15;

/// Iterations of a solve at most.
const LONGEST: usize = MOST + MORE + SPARE;

/// Iterations at most beyond those for R, to a residual relative to δ.
const MORE: usize = 8;

/// The smallest tolerance that 32 bits reach.
pub(super) const FINEST: f64 = 3e-7;

/// A texel for a node, four components: the numbers of a vector's 2x2 elements.
fn texels(volumes: &FiniteVolumes) -> Result<Packed2x2> {
    Packed2x2::grid(2 * volumes.layout().width(), 2 * volumes.layout().height())
}

/// A vector of four numbers a node.
fn components(algebra: &Algebra, layout: Packed2x2, of: [Option<&[f64]>; 4]) -> Result<Vector> {
    let width = layout.width() as usize;
    let mut elements = vec![0.0; layout.len()];
    for (component, values) in of.into_iter().enumerate() {
        for (node, value) in values.into_iter().flatten().enumerate() {
            let (i, j) = (2 * (node % (width / 2)) + component % 2, 2 * (node / (width / 2)) + component / 2);
            elements[j * width + i] = *value as f32;
        }
    }
    algebra.vector(layout, &elements)
}

/// The weights of four components, each with its own edges.
struct Weights {
    /// To the next node along x and y, what is lost besides, and 1/V, 0 where a component takes no part.
    vectors: [Vector; 4],
}

impl Weights {
    fn new(layout: Packed2x2, of: [Option<&FiniteVolumes>; 4], algebra: &Algebra) -> Result<Weights> {
        let inverses = of.map(|volumes| {
            volumes.map(|volumes| {
                volumes.shares().iter().map(|&v| if v > 0.0 { 1.0 / v } else { 0.0 }).collect::<Vec<f64>>()
            })
        });
        let vector = |which: usize| {
            let values = [0, 1, 2, 3].map(|component: usize| match which {
                3 => inverses[component].as_deref(),
                _ => of[component].map(|volumes| &volumes.weights()[which][..]),
            });
            components(algebra, layout, values)
        };
        Ok(Weights { vectors: [vector(0)?, vector(1)?, vector(2)?, vector(3)?] })
    }

    fn takes_part(&self) -> &Vector {
        &self.vectors[3]
    }
}

/// P w + Q Λw + S a + T Λa, by rows.
#[derive(Clone)]
struct Rows(Vec<[f32; 4]>);

/// c₀ I − γΔt J on four components a node, auxiliary fields computed in it.
struct Matrix {
    algebra: Algebra,
    layout: Packed2x2,
    edges: Edges,
    fields: Weights,
    /// The fields' rows.
    rows: Rows,
    auxiliary: Option<AuxiliaryRows>,
}

struct AuxiliaryRows {
    weights: Weights,
    rows: Rows,
    /// Passes until each has what it depends on.
    depth: usize,
}

impl Matrix {
    fn draw(
        &self,
        rows: &Rows,
        (w, auxiliary): (&Vector, Option<&Vector>),
        takes_part: &Vector,
        out: &Vector,
    ) -> Result<()> {
        let with = auxiliary.zip(self.auxiliary.as_ref());
        let constants = if with.is_some() { &rows.0[..] } else { &rows.0[..8] };
        self.algebra
            .pass(PRODUCT, &[("AUXILIARY", i32::from(with.is_some()))])?
            .streams_by(self.edges, [w].into_iter().chain(&self.fields.vectors).map(Vector::texture))
            .streams_by(
                self.edges,
                with.into_iter()
                    .flat_map(|(a, own)| [a].into_iter().chain(&own.weights.vectors))
                    .map(Vector::texture),
            )
            .streams_by(self.edges, [takes_part.texture()])
            .constants(constants)
            .onto(&[out.texture()])
    }
}

impl LinearOperator for Matrix {
    fn algebra(&self) -> &Algebra {
        &self.algebra
    }

    fn rows(&self) -> Packed2x2 {
        self.layout
    }

    fn apply(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        self.check(op, x, out)?;
        let mut found: Option<Vector> = None;
        if let Some(own) = &self.auxiliary {
            for _ in 0..own.depth {
                let next = Vector::uninitialised(&self.algebra, self.layout)?;
                self.draw(&own.rows, (x, found.as_ref()), own.weights.takes_part(), &next)?;
                found = Some(next);
            }
        }
        self.draw(&self.rows, (x, found.as_ref()), self.fields.takes_part(), out)?;
        op.add_to(out)
    }
}

/// Each group's solve as if the others' fields did not change: always as long, from nothing.
struct Apart {
    solvers: RefCell<Vec<(Coupled, [f32; 4])>>,
    zero: Vector,
    /// The cycles that it has made since somebody took them.
    cycles: Rc<Cell<usize>>,
}

impl Preconditioner for Apart {
    fn precondition(&self, r: &Vector, z: &mut Vector) -> Result<()> {
        let like = || Vector::uninitialised(r.algebra(), r.layout());
        let (next, zero) = (like()?, self.zero.texture());
        let mut solvers = self.solvers.borrow_mut();
        let mut changes = Vec::new();
        for (solver, _) in solvers.iter_mut() {
            let change = like()?;
            solver.forget()?;
            let effort =
                solver.solve_textures(r.texture(), zero, [next.texture(), change.texture()], None)?;
            self.cycles.set(self.cycles.get() + effort.cycles);
            changes.push(change);
        }
        match &changes[..] {
            [] => z.fill(0.0),
            [only] => z.copy_from(only),
            all => {
                let own: Vec<[f32; 4]> = solvers.iter().skip(1).map(|(_, own)| *own).collect();
                self.join(all, &own, [&next, z])
            }
        }
    }
}

impl Apart {
    fn join(&self, changes: &[Vector], own: &[[f32; 4]], [next, z]: [&Vector; 2]) -> Result<()> {
        let (width, height) = z.layout().texels();
        self.zero
            .algebra()
            .pass(JOIN, &[("COUNT", changes.len() as i32)])?
            .streams([self.zero.texture()])
            .streams(changes.iter().map(Vector::texture))
            .constants(own)
            .domains(&[[0.0, 0.0, width as f32, height as f32]])
            .onto(&[next.texture(), z.texture()])
    }
}

/// Solves (c₀ I − γΔt J) δ = R for all fields at once, each with its own edges and its own D.
///
/// −∇² of a field is that of its own edges, 0 at nodes whose value they hold. The iteration is BiCGSTAB, for the matrix is not symmetric, and
/// its preconditioner solves for each group of like edges alone.
///
/// # References
/// van der Vorst, *Bi-CGSTAB*, 1992.
pub(super) struct Unlike {
    operator: Matrix,
    method: BiCgStab,
    x: Vector,
    /// 1 for each field.
    fields: [f32; 4],
    zero: Vector,
    /// V/ΣV of each field that conserves, else 0, and the mean of δ that it makes.
    mean: Option<(Vector, Texture)>,
    pub(super) known: Known,
    /// The cycles of its preconditioner.
    cycles: Rc<Cell<usize>>,
    blocks: Vec<Block>,
}

impl Unlike {
    /// The system of groups that hold all fields and auxiliary fields, each once. `conserves` says of which fields the sum of δ is 0.
    pub fn new(
        groups: &[Group],
        part: &LinearPart,
        (c0, step): (f64, f64),
        conserves: &[bool],
    ) -> Result<Unlike> {
        let bad = |found: String, expected: &str| {
            Err(Error::BadParameter { name: "groups", found, expected: expected.to_owned() })
        };
        let (n, f) = (part.rows(), part.fields);
        if part.auxiliary > 4 {
            let found = format!("{} auxiliary fields among fields of unlike edges", part.auxiliary);
            return bad(found, "4 at most");
        }
        let of = |row: usize| {
            let has = |group: &&Group| {
                if row < f { group.fields.contains(&row) } else { group.auxiliaries.contains(&(row - f)) }
            };
            groups.iter().find(has).map(|group| &*group.volumes)
        };
        if let Some(row) = (0..n).find(|row| of(*row).is_none()) {
            let found = format!("auxiliary field {} in none", row - f.min(row));
            return bad(
                found,
                "the edges of all auxiliary fields where fields of unlike edges depend on each other",
            );
        }
        let Some(first) = groups.first() else { return bad("none".to_owned(), "one at least") };
        let (algebra, layout) = (first.volumes.algebra(), texels(&first.volumes)?);
        let members = |from: usize, to: usize| {
            [0, 1, 2, 3].map(|at: usize| if from + at < to { of(from + at) } else { None })
        };
        // Four rows, each with the four of its columns that are fields and then the four that are auxiliary fields; 0 where there are fewer.
        let rows = |(from, to): (usize, usize), scale: f64, own: f64| {
            let mut all = Vec::new();
            for (first, last) in [(0, f), (f, n)] {
                for (matrix, scale, own) in [(&part.constant, scale, own), (&part.lap, -scale, 0.0)] {
                    all.extend((from..from + 4).map(|row| {
                        [0, 1, 2, 3].map(|at| match first + at {
                            column if row < to && column < last => {
                                let diagonal = if column == row { own } else { 0.0 };
                                (scale * matrix[row * n + column] + diagonal) as f32
                            }
                            _ => 0.0,
                        })
                    }));
                }
            }
            Rows(all)
        };
        let auxiliary = match part.auxiliary {
            0 => None,
            _ => Some(AuxiliaryRows {
                weights: Weights::new(layout, members(f, n), algebra)?,
                rows: rows((f, n), 1.0, 0.0),
                depth: depth(part)?,
            }),
        };
        // Where an axis of a group is not periodic, its weights over the seam are 0, so that nothing of what is sampled there counts.
        let is_periodic = groups.iter().any(|group| group.volumes.periodic().contains(&true));
        let operator = Matrix {
            algebra: algebra.clone(),
            layout,
            edges: if is_periodic { Edges::Repeat } else { Edges::Clamp },
            fields: Weights::new(layout, members(0, f), algebra)?,
            rows: rows((0, f), -step, c0),
            auxiliary,
        };
        let mut solvers = Vec::new();
        for Group { volumes, fields, .. } in groups.iter().filter(|group| !group.fields.is_empty()) {
            let alone = part.within(fields)?;
            // A field is as good as fixed where an auxiliary field is that it depends on: ∇² of that is 0 there.
            let mut volumes = volumes.clone();
            for other in alone.reached(fields).into_iter().filter(|row| *row >= f).filter_map(of) {
                if let Some(fewer) = volumes.fixed_where(other)? {
                    volumes = Rc::new(fewer);
                }
            }
            let mut solver = Coupled::of_fields(&volumes, &alone, (c0, step), &[], fields)?;
            solver.fix_lengths()?;
            solvers.push((solver, own(fields)));
        }
        let blocks = solvers.iter().flat_map(|(solver, _)| solver.blocks().to_vec()).collect();
        let zero = || algebra.zeros(layout);
        let mean = match conserves.contains(&true) {
            false => None,
            true => {
                let shares = [0, 1, 2, 3].map(|field: usize| {
                    let volumes = of(field).filter(|_| conserves.get(field) == Some(&true))?;
                    let whole: f64 = volumes.shares().iter().sum();
                    Some(volumes.shares().iter().map(|share| share / whole).collect::<Vec<f64>>())
                });
                let shares = components(algebra, layout, shares.each_ref().map(Option::as_deref))?;
                let one = Shape { width: 1, height: 1, format: Format::Rgba32F };
                Some((shares, algebra.context().texture(one)?))
            }
        };
        let cycles = Rc::new(Cell::new(0));
        let apart = Apart { solvers: RefCell::new(solvers), zero: zero()?, cycles: cycles.clone() };
        Ok(Unlike {
            operator,
            method: BiCgStab::with(algebra, layout, apart)?,
            x: zero()?,
            fields: own(&(0..f).collect::<Vec<_>>()),
            zero: zero()?,
            mean,
            known: [KIND, 0],
            cycles,
            blocks,
        })
    }

    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// As [`Coupled::solve`].
    pub fn solve(
        &mut self,
        r: &Buffer,
        u: &Buffer,
        [next, change]: [&Buffer; 2],
        tolerance: Option<f64>,
    ) -> Result<Effort> {
        let algebra = self.operator.algebra.clone();
        let (b, scratch) = (
            Vector::uninitialised(&algebra, self.operator.layout)?,
            Vector::uninitialised(&algebra, self.operator.layout)?,
        );
        let zero = self.zero.texture();
        self.given([zero, r.texture(), zero], None, [scratch.texture(), b.texture()])?;
        let mut effort = Effort::default();
        self.cycles.set(0);
        let looked = tolerance.map(|tolerance| Ok::<_, Error>((tolerance, largest(&b)?))).transpose()?;
        match looked {
            // Bounds would be absolute: an x that is small enough would stay.
            Some((_, 0.0)) => {
                self.x.fill(0.0)?;
                effort.residual = Some(0.0);
            }
            Some((tolerance, of_b)) => {
                let mut solve = |x: &mut Vector, tolerance: f64, max_iterations| {
                    let bounds = Bounds { tolerance: tolerance as f32, max_iterations, check_every: 1 };
                    iterate(&mut self.method, &self.operator, &b, x, bounds, &mut |_, _| true)
                };
                effort.is_short = true;
                while effort.is_short && effort.iterations < MOST {
                    let found = solve(&mut self.x, tolerance, AGAIN.min(MOST - effort.iterations))?;
                    effort.iterations += found.iterations.max(1);
                    effort.residual = Some(found.residual());
                    effort.is_short = found.reason != Reason::Converged;
                }
                // Relative to δ, which is far below R where that is rough: errors of gradients are as smooth as δ, those of cycles are not.
                let finer = (tolerance * largest(&self.x)? / of_b).max(FINEST);
                if !effort.is_short && finer < tolerance {
                    let more = solve(&mut self.x, finer, MORE)?;
                    effort.iterations += more.iterations;
                    effort.residual = Some(more.residual());
                }
                self.known = [KIND, effort.iterations + SPARE];
            }
            None => {
                let count = self.known[1];
                let bounds = Bounds { tolerance: 0.0, max_iterations: count, check_every: 0 };
                let history = History::new(&algebra, bounds)?;
                history.log.texture().clear([0.0; 4]);
                self.method.start(&self.operator, &b, &self.x)?;
                for entry in 1..=count {
                    if entry > 1 && entry % AGAIN == 1 {
                        self.method.start(&self.operator, &b, &self.x)?;
                    }
                    let _scope = algebra.gpu().scope("iteration");
                    self.method.step(&self.operator, &mut self.x, &history, entry)?;
                }
                effort.iterations = count;
            }
        }
        effort.cycles = self.cycles.take();
        if let Some((shares, mean)) = &self.mean {
            let terms = Terms::Products(self.x.texture(), shares.texture());
            algebra.sum().reduce_into(terms, false, &[mean], mean.shape().rect())?;
        }
        let mean = self.mean.as_ref().map(|(_, mean)| mean);
        self.given([u.texture(), self.x.texture(), r.texture()], mean, [next.texture(), change.texture()])?;
        Ok(effort)
    }

    /// x, less a mean, where a component takes part, else r, and u with that added.
    fn given(
        &self,
        [u, x, r]: [&Texture; 3],
        mean: Option<&Texture>,
        [next, change]: [&Texture; 2],
    ) -> Result<()> {
        let (width, height) = self.operator.layout.texels();
        self.operator
            .algebra
            .pass(GIVEN, &[("CONSERVE", i32::from(mean.is_some()))])?
            .streams([u, x, r, self.operator.fields.takes_part().texture()])
            .streams(mean)
            .constants(&[self.fields])
            .domains(&[[0.0, 0.0, width as f32, height as f32]])
            .onto(&[next, change])
    }

    pub fn is_known(&self) -> bool {
        self.known[1] > 0
    }

    pub fn memory(&self) -> Result<(Vec<Vec<f32>>, Vec<Known>)> {
        Ok((vec![self.x.get()?], vec![self.known]))
    }

    pub fn copied(&self) -> Result<(Vec<Vector>, Vec<Known>)> {
        Ok((vec![self.x.try_clone()?], vec![self.known]))
    }

    pub fn remember(&mut self, vectors: &[Vec<f32>], counts: &[Known]) -> Result<()> {
        let ([x], [known @ [KIND, 0..=LONGEST]]) = (vectors, counts) else {
            let found = format!("{} vectors, counts {counts:?}", vectors.len());
            let expected = format!("one, and a count of up to {LONGEST} of kind {KIND}");
            return Err(Error::BadParameter { name: "memory of a solver", found, expected });
        };
        self.x.set(x)?;
        self.known = *known;
        Ok(())
    }

    pub fn copy_from(&mut self, (vectors, counts): &(Vec<Vector>, Vec<Known>)) -> Result<()> {
        if let ([x], [known]) = (&vectors[..], &counts[..]) {
            self.x.copy_from(x)?;
            self.known = *known;
        }
        Ok(())
    }

    pub fn inherit(&mut self, other: &mut Unlike) {
        std::mem::swap(&mut self.x, &mut other.x);
        self.known = other.known;
    }

    pub fn forget(&mut self) -> Result<()> {
        self.x.fill(0.0)
    }
}

/// The passes after which each auxiliary field has what it depends on.
fn depth(part: &LinearPart) -> Result<usize> {
    let (n, f) = (part.rows(), part.fields);
    let mut depths: Vec<usize> = vec![0; n];
    for _ in f..=n {
        let before = depths.clone();
        for (i, depth) in depths.iter_mut().enumerate().skip(f) {
            let needs = (f..n).filter(|j| part.constant[i * n + j] != 0.0 || part.lap[i * n + j] != 0.0);
            *depth = 1 + needs.map(|j| before[j]).max().unwrap_or(0);
        }
        if depths == before {
            return Ok(depths.into_iter().max().unwrap_or(0));
        }
    }
    let (found, expected) =
        ("auxiliary fields in a circle".to_owned(), "each of fields, or of others before it".to_owned());
    Err(Error::BadParameter { name: "implicit part", found, expected })
}
