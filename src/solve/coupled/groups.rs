//! Fields with unlike edges or D: a system for each group of fields that have the same ones, or one for all where groups depend on each other.

use std::rc::Rc;

use super::inverse::{Effort, Known};
use super::part::LinearPart;
use super::plan::Block;
use super::solver::Coupled;
use super::unlike::Unlike;
use super::volumes::{FiniteVolumes, Group, JOIN, own};
use crate::linalg::Vector;
use crate::pug::Buffer;
use crate::{Error, Result};

/// True if a group's fields depend on others, or on auxiliary fields of others.
pub(super) fn are_joined(groups: &[Group], part: &LinearPart) -> bool {
    groups.iter().any(|group| {
        let elsewhere = |at: &usize| groups.iter().any(|other| other.auxiliaries.contains(at));
        part.reached(&group.fields).into_iter().any(|row| match row.checked_sub(part.fields) {
            None => !group.fields.contains(&row),
            Some(at) => !group.auxiliaries.contains(&at) && elsewhere(&at),
        })
    })
}

/// Solves (c₀ I − γΔt J) δ = R. Where the fields of different groups do not depend on each other: a [`Coupled`] for each group, and one pass
/// that takes each field's δ from its own. Where they do: stabilised bi-conjugate gradients for all fields at once, of which each group's
/// solve, as if the others' fields did not change, is the preconditioner.
pub struct Systems {
    way: Way,
    blocks: Vec<Block>,
}

enum Way {
    Apart(Vec<System>),
    Joined(Box<Unlike>),
}

struct System {
    solver: Coupled,
    volumes: Rc<FiniteVolumes>,
    /// 1 for the fields of the group.
    own: [f32; 4],
    /// Its δ, where there are others.
    change: Option<Buffer>,
}

/// The solver of a group that depends on no other.
fn solver(group: &Group, part: &LinearPart, system: (f64, f64), conserves: &[bool]) -> Result<Coupled> {
    let Group { volumes, fields, .. } = group;
    let part = part.only(fields)?;
    let conserves: Vec<bool> =
        conserves.iter().enumerate().map(|(i, is)| *is && fields.contains(&i)).collect();
    Coupled::of_fields(volumes, &part, system, &conserves, fields)
}

impl Systems {
    /// The solvers of c₀ − γΔt J, with `step` = γΔt. `conserves` says of which fields the sum of δ over all cells is 0.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for a field that is in no group or in two; for groups of unlike grids; where groups depend on each other for an auxiliary field that is in
    /// none, and for more than four of those; as [`Coupled::new`].
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
        let size = |group: &Group| [group.volumes.layout().width(), group.volumes.layout().height()];
        let mut pairs = groups.iter().zip(groups.iter().skip(1)).map(|(one, next)| [size(one), size(next)]);
        if let Some([[across, down], [wide, high]]) = pairs.find(|[one, next]| one != next) {
            let found = format!("grids of {across}x{down} and of {wide}x{high} nodes");
            return Err(Error::BadParameter { name: "groups", found, expected: "one size".to_owned() });
        }
        if are_joined(groups, part) {
            let joined = Unlike::new(groups, part, system, conserves)?;
            let blocks = joined.blocks().to_vec();
            return Ok(Systems { way: Way::Joined(Box::new(joined)), blocks });
        }
        let mut each = Vec::new();
        let groups: Vec<&Group> = groups.iter().filter(|group| !group.fields.is_empty()).collect();
        for group in groups.iter().copied() {
            let Group { volumes, fields, .. } = group;
            let solver = solver(group, part, system, conserves)?;
            let own = own(fields);
            let (width, height) = (volumes.layout().width(), volumes.layout().height());
            let change = match groups.len() {
                1 => None,
                _ => Some(volumes.algebra().gpu().buffer(width, height).components(part.fields).build()?),
            };
            each.push(System { solver, volumes: volumes.clone(), own, change });
        }
        let blocks = each.iter().flat_map(|system| system.solver.blocks().to_vec()).collect();
        Ok(Systems { way: Way::Apart(each), blocks })
    }

    /// True if groups depend on each other, so that [`Systems::blocks`] are those of the preconditioner.
    pub fn is_joined(&self) -> bool {
        matches!(self.way, Way::Joined(_))
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
        let each = match &mut self.way {
            Way::Joined(joined) => return joined.solve(r, u, [next, change], tolerance),
            Way::Apart(each) => each,
        };
        let mut effort = Effort::default();
        for System { solver, change: own, .. } in each.iter_mut() {
            effort.add(solver.solve(r, u, [next, own.as_ref().unwrap_or(change)], tolerance)?);
        }
        let [first, rest @ ..] = &each[..] else { return Ok(effort) };
        if rest.is_empty() {
            return Ok(effort);
        }
        let (volumes, changes) = (&first.volumes, each.iter().filter_map(|system| system.change.as_ref()));
        let (width, height) = (volumes.layout().width() as f32, volumes.layout().height() as f32);
        let own: Vec<[f32; 4]> = rest.iter().map(|system| system.own).collect();
        volumes
            .algebra()
            .pass(JOIN, &[("COUNT", each.len() as i32)])?
            .streams([u.texture()])
            .streams(changes.map(Buffer::texture))
            .constants(&own)
            .domains(&[[0.0, 0.0, width, height]])
            .onto(&[next.texture(), change.texture()])?;
        Ok(effort)
    }

    /// The same once more from the δ that is there, to a smaller tolerance: what is known of the length of blind solves stays.
    ///
    /// # Errors
    /// As [`Systems::solve`].
    pub(super) fn solve_closer(
        &mut self,
        r: &Buffer,
        u: &Buffer,
        targets: [&Buffer; 2],
        tolerance: f64,
    ) -> Result<Effort> {
        let counts: Vec<Vec<Known>> = match &self.way {
            Way::Apart(each) => each.iter().map(|system| system.solver.efforts()).collect(),
            Way::Joined(joined) => vec![vec![joined.known]],
        };
        let effort = self.solve(r, u, targets, Some(tolerance))?;
        match &mut self.way {
            Way::Apart(each) => {
                each.iter_mut().zip(&counts).for_each(|(system, counts)| system.solver.set_efforts(counts));
            }
            Way::Joined(joined) => joined.known = counts[0][0],
        }
        Ok(effort)
    }

    /// True if each solve knows how long it has to be where it is not looked at.
    pub(super) fn is_known(&self) -> bool {
        match &self.way {
            Way::Apart(each) => each.iter().all(|system| system.solver.is_known()),
            Way::Joined(joined) => joined.is_known(),
        }
    }

    /// As [`Coupled::memory`], group after group.
    ///
    /// # Errors
    /// Those of a lost device.
    pub fn memory(&self) -> Result<(Vec<Vec<f32>>, Vec<Known>)> {
        let each = match &self.way {
            Way::Joined(joined) => return joined.memory(),
            Way::Apart(each) => {
                each.iter().map(|system| system.solver.memory()).collect::<Result<Vec<_>>>()?
            }
        };
        let (vectors, counts): (Vec<_>, Vec<_>) = each.into_iter().unzip();
        Ok((vectors.concat(), counts.concat()))
    }

    /// The same as copies on the GPU.
    pub(super) fn copied(&self) -> Result<Vec<(Vec<Vector>, Vec<Known>)>> {
        match &self.way {
            Way::Apart(each) => each.iter().map(|system| system.solver.copied()).collect(),
            Way::Joined(joined) => Ok(vec![joined.copied()?]),
        }
    }

    /// Sets what [`Systems::memory`] gave.
    ///
    /// # Errors
    /// As [`Coupled::remember`].
    pub fn remember(&mut self, vectors: &[Vec<f32>], counts: &[Known]) -> Result<()> {
        let each = match &mut self.way {
            Way::Joined(joined) => return joined.remember(vectors, counts),
            Way::Apart(each) => each,
        };
        let (mut vectors, mut counts) = (vectors, counts);
        let last = each.len() - 1;
        for (at, System { solver, .. }) in each.iter_mut().enumerate() {
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
        match &mut self.way {
            Way::Apart(each) => {
                each.iter_mut().zip(all).try_for_each(|(system, from)| system.solver.copy_from(from))
            }
            Way::Joined(joined) => all.iter().try_for_each(|own| joined.copy_from(own)),
        }
    }

    /// Other groups of the same fields with the same part. Solvers of the same volumes stay, and others begin with what the old ones would.
    pub(super) fn renew(
        &mut self,
        groups: &[Group],
        part: &LinearPart,
        system: (f64, f64),
        conserves: &[bool],
    ) -> Result<()> {
        let parted = |group: &&Group| !group.fields.is_empty();
        let of = |fields: [f32; 4], volumes: &FiniteVolumes| {
            (fields, volumes.layout().width(), volumes.layout().height())
        };
        let fields: Vec<_> =
            groups.iter().filter(parted).map(|group| of(own(&group.fields), &group.volumes)).collect();
        let same = |each: &&mut Vec<System>| {
            each.iter().map(|old| of(old.own, &old.volumes)).eq(fields.iter().copied())
        };
        let each = match &mut self.way {
            Way::Apart(each) => Some(each).filter(same),
            Way::Joined(_) => None,
        };
        let Some(each) = each.filter(|_| !are_joined(groups, part)) else {
            let mut made = Systems::new(groups, part, system, conserves)?;
            if let (Way::Joined(own), Way::Joined(other)) = (&mut made.way, &mut self.way) {
                own.inherit(other);
            }
            *self = made;
            return Ok(());
        };
        for (old, group) in each.iter_mut().zip(groups.iter().filter(parted)) {
            if !Rc::ptr_eq(&old.volumes, &group.volumes) {
                let mut solver = solver(group, part, system, conserves)?;
                solver.inherit(&mut old.solver);
                (old.solver, old.volumes) = (solver, group.volumes.clone());
            }
        }
        self.blocks = each.iter().flat_map(|system| system.solver.blocks().to_vec()).collect();
        Ok(())
    }

    /// Begins the next solve with 0.
    ///
    /// # Errors
    /// Those of passes.
    pub fn forget(&mut self) -> Result<()> {
        match &mut self.way {
            Way::Apart(each) => each.iter_mut().try_for_each(|system| system.solver.forget()),
            Way::Joined(joined) => joined.forget(),
        }
    }
}
