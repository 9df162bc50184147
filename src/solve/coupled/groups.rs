//! Fields with unlike edges: a system for each group of fields that have the same ones.

use std::rc::Rc;

use super::inverse::{Effort, Known};
use super::part::LinearPart;
use super::plan::Block;
use super::solver::Coupled;
use super::volumes::FiniteVolumes;
use crate::linalg::Vector;
use crate::pug::Buffer;
use crate::{Error, Result};

const JOIN: &str = "solve/coupled_join.frag";

/// Fields with the same edges, and the volumes around their nodes.
#[derive(Clone)]
pub struct Group {
    /// Those volumes.
    pub volumes: Rc<FiniteVolumes>,
    /// Their numbers.
    pub fields: Vec<usize>,
}

/// Solves (c₀ I − γΔt J) δ = R where the fields of different groups do not depend on each other: a [`Coupled`] for each group, and one pass
/// that takes each field's δ from its own.
pub struct Systems {
    each: Vec<System>,
    blocks: Vec<Block>,
}

struct System {
    solver: Coupled,
    volumes: Rc<FiniteVolumes>,
    /// 1 for the fields of the group.
    own: [f32; 4],
    /// Its δ, where there are others.
    change: Option<Buffer>,
}

impl Systems {
    /// The solvers of c₀ − γΔt J, with `step` = γΔt. `conserves` says of which fields the sum of δ over all cells is 0.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for fields that depend on one of another group, for a field that is in no group or in two; as
    /// [`Coupled::new`].
    pub fn new(
        groups: &[Group],
        part: &LinearPart,
        system: (f64, f64),
        conserves: &[bool],
    ) -> Result<Systems> {
        let mut all: Vec<usize> = groups.iter().flat_map(|group| group.fields.clone()).collect();
        all.sort_unstable();
        if all != (0..part.fields).collect::<Vec<_>>() {
            let (found, expected) =
                (format!("the fields {all:?}"), format!("{} of them, each once", part.fields));
            return Err(Error::BadParameter { name: "groups", found, expected });
        }
        let mut each = Vec::new();
        for Group { volumes, fields } in groups {
            let part = part.only(fields)?;
            let conserves: Vec<bool> =
                conserves.iter().enumerate().map(|(i, is)| *is && fields.contains(&i)).collect();
            let solver = Coupled::of_fields(volumes, &part, system, &conserves, fields)?;
            let own = [0, 1, 2, 3].map(|field| if fields.contains(&field) { 1.0 } else { 0.0 });
            let (width, height) = (volumes.layout().width(), volumes.layout().height());
            let change = match groups.len() {
                1 => None,
                _ => Some(volumes.algebra().gpu().buffer(width, height).components(part.fields).build()?),
            };
            each.push(System { solver, volumes: volumes.clone(), own, change });
        }
        let blocks = each.iter().flat_map(|system| system.solver.blocks().to_vec()).collect();
        Ok(Systems { each, blocks })
    }

    /// The blocks of all groups in the order of solving.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// δ from R, and next = u + δ: as [`Coupled::solve`].
    ///
    /// # Errors
    /// As [`Coupled::solve`].
    pub fn solve(
        &mut self,
        r: &Buffer,
        u: &Buffer,
        [next, change]: [&Buffer; 2],
        tolerance: Option<f64>,
    ) -> Result<Effort> {
        let mut effort = Effort::default();
        for System { solver, change: own, .. } in &mut self.each {
            effort.add(solver.solve(r, u, [next, own.as_ref().unwrap_or(change)], tolerance)?);
        }
        let [first, rest @ ..] = &self.each[..] else { return Ok(effort) };
        if rest.is_empty() {
            return Ok(effort);
        }
        let (volumes, changes) =
            (&first.volumes, self.each.iter().filter_map(|system| system.change.as_ref()));
        let (width, height) = (volumes.layout().width() as f32, volumes.layout().height() as f32);
        let own: Vec<[f32; 4]> = rest.iter().map(|system| system.own).collect();
        volumes
            .algebra()
            .pass(JOIN, &[("COUNT", self.each.len() as i32)])?
            .streams([u.texture()])
            .streams(changes.map(Buffer::texture))
            .constants(&own)
            .domains(&[[0.0, 0.0, width, height]])
            .onto(&[next.texture(), change.texture()])?;
        Ok(effort)
    }

    /// True if each solve knows how long it has to be where it is not looked at.
    pub(super) fn is_known(&self) -> bool {
        self.each.iter().all(|system| system.solver.is_known())
    }

    /// As [`Coupled::memory`], group after group.
    ///
    /// # Errors
    /// Those of a lost device.
    pub fn memory(&self) -> Result<(Vec<Vec<f32>>, Vec<Known>)> {
        let each = self.each.iter().map(|system| system.solver.memory()).collect::<Result<Vec<_>>>()?;
        let (vectors, counts): (Vec<_>, Vec<_>) = each.into_iter().unzip();
        Ok((vectors.concat(), counts.concat()))
    }

    /// The same as copies on the GPU.
    pub(super) fn copied(&self) -> Result<Vec<(Vec<Vector>, Vec<Known>)>> {
        self.each.iter().map(|system| system.solver.copied()).collect()
    }

    /// Sets what [`Systems::memory`] gave.
    ///
    /// # Errors
    /// As [`Coupled::remember`].
    pub fn remember(&mut self, vectors: &[Vec<f32>], counts: &[Known]) -> Result<()> {
        let (mut vectors, mut counts) = (vectors, counts);
        let last = self.each.len() - 1;
        for (at, System { solver, .. }) in self.each.iter_mut().enumerate() {
            let (places, solves) = solver.places();
            // The last one takes the rest, and refuses what is left over.
            let many = |wanted: usize, there: usize| if at == last { there } else { wanted.min(there) };
            let (own, more) = vectors.split_at(many(places, vectors.len()));
            let (own_counts, more_counts) = counts.split_at(many(solves, counts.len()));
            solver.remember(own, own_counts)?;
            (vectors, counts) = (more, more_counts);
        }
        Ok(())
    }

    /// Sets what [`Systems::copied`] gave.
    pub(super) fn copy_from(&mut self, all: &[(Vec<Vector>, Vec<Known>)]) -> Result<()> {
        self.each.iter_mut().zip(all).try_for_each(|(system, from)| system.solver.copy_from(from))
    }

    /// Takes over what other solvers of the same blocks would begin with.
    pub(super) fn inherit(&mut self, other: &mut Systems) {
        self.each
            .iter_mut()
            .zip(&mut other.each)
            .for_each(|(own, other)| own.solver.inherit(&mut other.solver));
    }

    /// Begins the next solve with 0.
    ///
    /// # Errors
    /// Those of passes.
    pub fn forget(&mut self) -> Result<()> {
        self.each.iter_mut().try_for_each(|system| system.solver.forget())
    }
}
