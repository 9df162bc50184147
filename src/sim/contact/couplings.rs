//! The contact LCP of all groups on the GPU, by what contacts have to do with one another: those that share no body have nothing.
//!
//! A contact is a texel: its normal and two tangents. The blocks of J M⁻¹Jᵀ + E, one for each contact that it shares a body with,
//! are computed on the GPU of normals, arms and inertias. A sweep is one pass over all contacts; every eighth is followed by a
//! survey of each group, one pass or two, which steers the next ones. A group that has come to rest stays as it is, so that one
//! look after as many sweeps as the last solve took is as good as a look at each.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use super::body::Inertia;
use super::gauss_seidel::Problem;
use super::solver::{Solver, finite, narrow, scale, size};
use super::system::System;
use super::vec3::{norm, scaled, sub, tangents};
use super::{Body, Contact, Method, Parameters};
use crate::Result;
use crate::gl::{Format, Limits, Rect, Shape, Texture};
use crate::linalg::Algebra;

const BLOCKS: &str = "sim/contact_blocks.frag";
const SWEEP: &str = "sim/contact_sweep.frag";
const SURVEY: &str = "sim/contact_survey.frag";

/// Texels of a contact, of a body, and of a contact in a round.
const OF_CONTACT: usize = 7;
const OF_BODY: usize = 2;
const OF_ROUND: usize = 3;

/// Fetches of a sweep for each block, and for the rest.
const FETCHES: u32 = 4;
const OTHERS: u32 = 8;

/// The targets of a sweep.
const TARGETS: u32 = 4;

/// Texels of all blocks at most, three textures of 256 megabytes, and of the parts of groups.
const MOST: usize = 1 << 24;

/// Sweeps from one survey to the next.
const EVERY: usize = 8;

/// The pace of the first sweeps, which most groups keep: the largest eigenvalue of D⁻¹A is near 4.
const PACE: f32 = 0.25;

/// Contacts of a group that one fragment surveys if there are no more, and if there are.
const ALONE: usize = 32;
const EACH: usize = 16;

/// Sweeps before the first look of all, and after a look that did not find all groups at rest.
const FIRST: usize = 32;
const MORE: usize = 24;

/// A group rests a little below the tolerance, for 32 bits see a little less than there is.
const BELOW: f64 = 0.9;

/// Textures as large as any step has needed so far, and after how many sweeps the next solve is looked at.
pub struct Room {
    /// Contacts, slots, bodies, groups.
    size: [usize; 4],
    contacts: Texture,
    lists: Texture,
    bodies: Texture,
    blocks: [Texture; 3],
    round: Texture,
    /// x, y, g and what was measured, twice.
    state: [[Texture; 4]; 2],
    parts: Texture,
    steer: [Texture; 2],
    expected: Cell<usize>,
}

impl Room {
    /// The room there is, or a larger one.
    fn of_size(algebra: &Algebra, kept: &RefCell<Option<Rc<Room>>>, size: [usize; 4]) -> Result<Rc<Room>> {
        let mut kept = kept.borrow_mut();
        let (old, expected) = kept.as_ref().map_or(([0; 4], FIRST), |room| (room.size, room.expected.get()));
        if let Some(room) = kept.as_ref().filter(|_| size.iter().zip(old).all(|(new, old)| *new <= old)) {
            return Ok(room.clone());
        }
        *kept = None;
        let [contacts, slots, bodies, groups] =
            roomy(size, old, algebra.gpu().limits().texture_size as usize);
        let size = [contacts, slots, bodies, groups];
        let texture = |width: usize, height: usize| {
            let (width, height) = (width as u32, height as u32);
            algebra.context().texture(Shape { width, height, format: Format::Rgba32F })
        };
        let block = || texture(slots, contacts);
        let vector = || texture(1, contacts);
        let state = || Ok::<_, crate::Error>([vector()?, vector()?, vector()?, vector()?]);
        let room = Rc::new(Room {
            size,
            contacts: texture(OF_CONTACT, contacts)?,
            lists: texture(2, contacts)?,
            bodies: texture(OF_BODY, bodies)?,
            blocks: [block()?, block()?, block()?],
            round: texture(OF_ROUND, contacts)?,
            state: [state()?, state()?],
            parts: texture(contacts.div_ceil(EACH), groups)?,
            steer: [texture(1, groups)?, texture(1, groups)?],
            expected: Cell::new(expected),
        });
        *kept = Some(room.clone());
        Ok(room)
    }
}

/// Returns true if the blocks, and the parts that groups are surveyed in, have no more texels than allowed.
fn bounded([contacts, slots, _, groups]: [usize; 4]) -> bool {
    slots * contacts <= MOST && contacts.div_ceil(EACH) * groups <= MOST
}

/// A size that has place for this one and the one before, so that textures are seldom made anew; without the one before, or no
/// larger than needed, where that would be beyond the bound.
fn roomy(size: [usize; 4], old: [usize; 4], side: usize) -> [usize; 4] {
    let beside = |old: [usize; 4]| -> [usize; 4] {
        std::array::from_fn(|k| size[k].next_power_of_two().max(old[k]).max(64).min(side))
    };
    [beside(old), beside([0; 4])].into_iter().find(|&size| bounded(size)).unwrap_or(size)
}

/// The groups of a step, ready to be solved.
pub struct Couplings<'a> {
    algebra: &'a Algebra,
    room: Rc<Room>,
    parameters: &'a Parameters,
    /// The rows of each.
    groups: &'a [Range<usize>],
    /// Rows of a contact, contacts, and how many the largest group has.
    per: usize,
    contacts: usize,
    longest: usize,
    /// The scale of each group.
    scales: Vec<f64>,
}

/// The contacts of each body, and which of their two it is.
type Lists = Vec<Vec<(usize, usize)>>;

impl<'a> Couplings<'a> {
    /// Uploads contacts and bodies and computes the blocks; does nothing where the paper's sweeps are wanted, or a card lacks
    /// what this needs.
    pub fn new(
        algebra: &'a Algebra,
        kept: &RefCell<Option<Rc<Room>>>,
        (contacts, bodies): (&[Contact], &[Body]),
        system: &System,
        groups: &'a [Range<usize>],
        parameters: &'a Parameters,
    ) -> Result<Option<Couplings<'a>>> {
        if parameters.method != Method::Accelerated {
            return Ok(None);
        }
        let mut lists: Lists = vec![Vec::new(); bodies.len()];
        for (k, contact) in contacts.iter().enumerate() {
            for (side, body) in sides(contact) {
                lists[body].push((k, side));
            }
        }
        let of = |contact: &Contact| sides(contact).map(|(_, body)| lists[body].len()).sum::<usize>();
        let slots = contacts.iter().map(of).max().unwrap_or(0).next_multiple_of(4);
        let size = [contacts.len(), slots, bodies.len(), groups.len()];
        if !fits(algebra.gpu().limits(), size) {
            return Ok(None);
        }
        let room = Room::of_size(algebra, kept, size)?;
        let (per, scales) = (system.per, groups.iter().map(|rows| scale(system, rows)).collect());
        let longest = groups.iter().map(|rows| rows.len() / per).max().unwrap_or(0);
        let contacts_there = contacts.len();
        let couplings =
            Couplings { algebra, room, parameters, groups, per, contacts: contacts_there, longest, scales };
        couplings.upload(contacts, bodies, system, &lists)?;
        let Room { contacts, lists, bodies, blocks, .. } = &*couplings.room;
        algebra
            .pass(BLOCKS, &[])?
            .streams([contacts, lists, bodies])
            .over(Rect::whole(slots as u32, contacts_there as u32))
            .onto(&blocks.each_ref())?;
        Ok(Some(couplings))
    }

    /// The layout is told in the kernel of the blocks.
    fn upload(&self, contacts: &[Contact], bodies: &[Body], system: &System, lists: &Lists) -> Result<()> {
        let mut starts = Vec::with_capacity(bodies.len());
        let mut entries = Vec::with_capacity(4 * contacts.len());
        for list in lists {
            starts.push(entries.len() as f64);
            entries.extend(list.iter().map(|&(contact, side)| [middle(contact), side as f64, 0.0, 0.0]));
        }
        if entries.len() % 2 == 1 {
            entries.push([0.0; 4]);
        }
        let mut texels = Vec::with_capacity(OF_CONTACT * contacts.len());
        let mut scale_of = vec![1.0; bodies.len()];
        for (group, rows) in self.groups.iter().enumerate() {
            let scale = self.scales[group];
            for row in rows.clone().step_by(self.per) {
                let contact = &contacts[row / self.per];
                let mut seen = [([0.0; 3], 0.0, 0.0, 0.0); 2];
                for (side, body) in sides(contact) {
                    scale_of[body] = scale;
                    let arm = scaled(sub(contact.point, bodies[body].position), 1.0 / reach(&bodies[body]));
                    seen[side] = (arm, middle(body), starts[body], lists[body].len() as f64);
                }
                let [(arm, body, start, length), (other_arm, other_body, other_start, other_length)] = seen;
                texels.extend([
                    texel(contact.normal, start),
                    texel(tangents(contact.normal)[0], length),
                    texel(arm, body),
                    texel(other_arm, other_body),
                    texel(self.of_rows(row, |row| system.softness[row] / scale), other_start),
                    texel(self.of_rows(row, |row| scale / system.diagonal[row]), middle(group)),
                    [length + other_length, other_length, 0.0, 0.0],
                ]);
            }
        }
        let inertias = bodies.iter().zip(scale_of).flat_map(|(body, scale)| {
            let (inertia, by) = (Inertia::of(body), reach(body).powi(2) / scale);
            let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
                .map(|axis| scaled(inertia.turned_by(axis), by));
            [texel(x, inertia.over_mass / scale), [y[1], y[2], z[2], 0.0]]
        });
        let room = &self.room;
        put(&room.bodies, OF_BODY, &inertias.collect::<Vec<_>>())?;
        put(&room.lists, 2, &entries)?;
        put(&room.contacts, OF_CONTACT, &texels)
    }

    /// Right side and bounds, the start, and where each group lies and rests.
    fn round(&self, problem: &Problem, impulses: &[f64], goals: &[f64]) -> Vec<[f64; 4]> {
        let mut texels = Vec::with_capacity(OF_ROUND * self.contacts);
        for (rows, scale) in self.groups.iter().zip(&self.scales) {
            for row in rows.clone().step_by(self.per) {
                let start = |row: usize| impulses[row].clamp(problem.lower[row], problem.upper[row]) * scale;
                let hold = if self.per > 1 { problem.upper[row + 1] * scale } else { 0.0 };
                let group = texels.len() / OF_ROUND;
                let place = self.groups.get(group).map_or([0.0; 4], |rows| {
                    let contact = |row: usize| (row / self.per) as f64;
                    [contact(rows.start), contact(rows.len()), goals[group], 0.0]
                });
                texels.extend([
                    texel(self.of_rows(row, |row| problem.right[row]), hold),
                    texel(self.of_rows(row, start), 0.0),
                    place,
                ]);
            }
        }
        texels
    }

    /// Numbers of the rows of a contact, 0 for those of friction where there is none.
    fn of_rows(&self, row: usize, value: impl Fn(usize) -> f64) -> [f64; 3] {
        std::array::from_fn(|k| if k < self.per { value(row + k) } else { 0.0 })
    }

    /// The sweep after so many.
    fn sweep(&self, sweep: usize, steer: &Texture) -> Result<()> {
        let Room { contacts, blocks, round, state, .. } = &*self.room;
        let [x, y, g, _] = state[(sweep + 1) % 2].each_ref();
        let before = if sweep == 0 { [round; 3] } else { [x, y, g] };
        self.algebra
            .pass(SWEEP, &[])?
            .streams(blocks.iter().chain([contacts, round]).chain(before).chain([steer]))
            .constants(&[[sweep as f32, 0.0, 0.0, 0.0]])
            .over(Rect::whole(1, self.contacts as u32))
            .onto(&state[sweep % 2].each_ref())
    }

    /// After so many sweeps.
    fn survey(&self, sweeps: usize, steer: &Texture, next: &Texture) -> Result<()> {
        let Room { round, state, parts, .. } = &*self.room;
        let (measured, groups) = (&state[(sweeps + 1) % 2][3], self.groups.len() as u32);
        let cut = if self.longest <= ALONE { 1 } else { self.longest.div_ceil(EACH) };
        let number = |value: usize| [value as f32, 0.0, 0.0, 0.0];
        let (measured, stage) = if cut == 1 {
            (measured, 2)
        } else {
            self.algebra
                .pass(SURVEY, &[("STAGE", 0)])?
                .streams([measured, round])
                .constants(&[number(cut)])
                .over(Rect::whole(cut as u32, groups))
                .onto(&[parts])?;
            (parts, 1)
        };
        self.algebra
            .pass(SURVEY, &[("STAGE", stage)])?
            .streams([measured, round, steer])
            .constants(&[number(sweeps), number(cut)])
            .over(self.of_groups())
            .onto(&[next])
    }
}

impl Couplings<'_> {
    /// Takes in the impulses after so many sweeps, and what steers each group.
    fn look(&self, sweeps: usize, steer: &Texture, impulses: &mut [f64]) -> Result<Vec<f32>> {
        let x = &self.room.state[(sweeps + 1) % 2][0];
        let x = x.read_async(Rect::whole(1, self.contacts as u32))?;
        let (steer, x) = (steer.read_async(self.of_groups())?.wait()?, x.wait()?);
        for (rows, scale) in self.groups.iter().zip(&self.scales) {
            for row in rows.clone() {
                impulses[row] = f64::from(x[4 * (row / self.per) + row % self.per]) / scale;
            }
        }
        finite(impulses)?;
        Ok(steer)
    }

    /// A texel for each group.
    fn of_groups(&self) -> Rect {
        Rect::whole(1, self.groups.len() as u32)
    }
}

impl Solver for Couplings<'_> {
    fn solve(&self, problem: &Problem, impulses: &mut [f64]) -> Result<usize> {
        let (p, room) = (self.parameters, &self.room);
        let tolerances: Vec<f64> =
            self.groups.iter().map(|rows| p.tolerance * size(problem.right, rows.clone())).collect();
        let mut goals: Vec<f64> = tolerances.iter().map(|tolerance| BELOW * tolerance).collect();
        room.steer[0].clear([0.0, PACE, 0.0, 0.0]);
        put(&room.round, OF_ROUND, &self.round(problem, impulses, &goals))?;
        // Sweeps before this start, and since.
        let (mut done, mut sweeps, mut surveys, mut until) = (0, 0, 0, room.expected.get());
        loop {
            let left = p.max_sweeps - done;
            while sweeps < until.min(left) {
                self.sweep(sweeps, &room.steer[surveys % 2])?;
                sweeps += 1;
                if sweeps % EVERY == 0 || sweeps == left {
                    self.survey(sweeps, &room.steer[surveys % 2], &room.steer[(surveys + 1) % 2])?;
                    surveys += 1;
                }
            }
            let mut steer = self.look(sweeps, &room.steer[surveys % 2], impulses)?;
            let rests = || steer.chunks(4).map(|steer| steer[2]);
            let (first, last) = (rests().fold(f32::INFINITY, f32::min), rests().fold(0.0, f32::max) as usize);
            if first > 0.0 {
                // A residual of 32 bits is checked in 64; a group that misses its goal starts once more, with half of it.
                let missed = |group: &usize| {
                    problem.residual(self.groups[*group].clone(), impulses) > tolerances[*group]
                };
                let missed: Vec<usize> = (0..goals.len()).filter(missed).collect();
                if missed.is_empty() || last == left {
                    room.expected.set(last.next_multiple_of(EVERY) + EVERY);
                    return Ok(done + last);
                }
                steer.chunks_mut(4).for_each(|steer| steer[2] = 1.0);
                for group in missed {
                    goals[group] *= 0.5;
                    (steer[4 * group], steer[4 * group + 2]) = (0.0, 0.0);
                }
                room.steer[0].upload(self.of_groups(), &steer)?;
                put(&room.round, OF_ROUND, &self.round(problem, impulses, &goals))?;
                (done, sweeps, surveys, until) = (done + last, 0, 0, MORE);
            } else if sweeps == left {
                room.expected.set(FIRST);
                return Ok(p.max_sweeps);
            } else {
                until = sweeps + MORE;
            }
        }
    }
}

/// Returns true if a card has the targets, fetches, loops and texels that so many contacts, slots, bodies and groups need.
fn fits(limits: &Limits, [contacts, slots, bodies, groups]: [usize; 4]) -> bool {
    let side = limits.texture_size as usize;
    limits.targets >= TARGETS
        && limits.loop_iterations as usize > contacts.max(slots)
        && limits.fetches as usize >= FETCHES as usize * slots + OTHERS as usize
        && [contacts, slots, bodies, groups].into_iter().all(|size| size <= side)
        && bounded([contacts, slots, bodies, groups])
}

/// The bodies of a contact, each with its place among them.
fn sides(contact: &Contact) -> impl Iterator<Item = (usize, usize)> {
    let (first, second) = contact.bodies;
    [Some(first), second].into_iter().enumerate().filter_map(|(side, body)| Some((side, body?)))
}

/// The length that arms of a body are told in.
fn reach(body: &Body) -> f64 {
    norm(body.half_sides)
}

/// Where a row is fetched.
fn middle(row: usize) -> f64 {
    row as f64 + 0.5
}

fn texel([x, y, z]: [f64; 3], w: f64) -> [f64; 4] {
    [x, y, z, w]
}

/// Uploads rows of so many texels from the first on.
fn put(texture: &Texture, width: usize, texels: &[[f64; 4]]) -> Result<()> {
    let rows = Rect::whole(width as u32, (texels.len() / width) as u32);
    if rows.height() == 0 { Ok(()) } else { texture.upload(rows, &narrow(texels.iter().flatten().copied())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plate on 520 cubes, and many slots after many contacts: powers of two, and the largest of both, would be beyond the bound.
    #[test]
    fn textures_with_room_to_grow_are_within_the_bound_of_those_without() {
        let (plate, tall, wide) = ([4160, 2088, 521, 1], [3000, 3000, 3001, 1], [16384, 64, 16384, 8192]);
        assert_eq!(roomy(plate, [0; 4], 16384), plate);
        assert_eq!(roomy(tall, wide, 32768), [4096, 4096, 4096, 64]);
        assert_eq!(roomy([100, 12, 61, 3], [64; 4], 16384), [128, 64, 64, 64]);
        for size in [plate, tall, wide] {
            for old in [plate, tall, wide, [0; 4]] {
                let found = roomy(size, old, 32768);
                assert!(bounded(size) && bounded(found), "{size:?} after {old:?}: {found:?}");
                assert!(found.iter().zip(size).all(|(found, size)| *found >= size));
            }
        }
    }
}
