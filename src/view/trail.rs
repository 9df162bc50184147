//! Trails of bodies: the last moments of their positions and velocities, kept on the GPU.
//!
//! A trail is a ring of copies of the arrays, drawn as older, fainter bodies. So it does not depend on frames or
//! camera.

use std::rc::Rc;

use crate::gl::Rect;
use crate::pug::{Buffer, Gpu};
use crate::{Error, Result};

/// A coordinate that no body has: its square is past the largest float, so that nothing is drawn there.
const NOWHERE: f32 = 1e20;

/// The last moments of the first N bodies, for [`Glow`](super::Glow) to draw as fading tails.
///
/// A ring of tiles, one below the other, each a copy of the rows of the two folded arrays in which those bodies are:
/// keeping a moment is two copies on the GPU, no pass and no read-back. Meant for few bodies: a moment costs as much to
/// draw as the bodies themselves.
///
/// # Shapes
/// N bodies in h rows of w texels, and m moments: two buffers of w × h m.
pub struct Trail {
    positions: Buffer,
    velocities: Buffer,
    bodies: usize,
    rows: u32,
    moments: u32,
    /// Moments that were kept so far.
    kept: u64,
}

impl Trail {
    /// An empty trail of so many moments for the first `bodies` in buffers like these, or for all if there are fewer.
    ///
    /// # Errors
    /// [`Error::WrongShape`] if the two are not folded alike; [`Error::OverLimit`] for more rows than a texture
    /// has; [`Error::Empty`] for 0 bodies or moments; [`Error::OutOfMemory`].
    pub fn new(
        gpu: &Gpu,
        [positions, velocities]: [&Buffer; 2],
        bodies: usize,
        moments: u32,
    ) -> Result<Trail> {
        check_pair(positions, velocities)?;
        let bodies = bodies.min(positions.len());
        let rows = bodies.div_ceil(positions.width() as usize) as u32;
        let ring = |like: &Buffer, name: &str| {
            let height = rows.saturating_mul(moments);
            let ring = gpu.buffer(like.width(), height).components(like.components());
            ring.precision(like.precision()).named(name).build()
        };
        let (positions, velocities) =
            (ring(positions, "past positions")?, ring(velocities, "past velocities")?);
        Ok(Trail { positions, velocities, bodies, rows, moments, kept: 0 })
    }

    /// Keeps this moment in the place of the oldest.
    ///
    /// # Errors
    /// [`Error::WrongShape`] if the buffers are not like those that the trail was made for; [`Error::OtherContext`].
    pub fn keep(&mut self, positions: &Buffer, velocities: &Buffer) -> Result<()> {
        let row = (self.kept % u64::from(self.moments)) as u32 * self.rows;
        for (ring, moment) in [(&self.positions, positions), (&self.velocities, velocities)] {
            if !Rc::ptr_eq(ring.context(), moment.context()) {
                return Err(Error::OtherContext { what: moment.describe() });
            }
            let same = moment.width() == ring.width()
                && moment.texture().shape().format == ring.texture().shape().format;
            if !same || moment.len() < self.bodies {
                let what = format!("a trail of {} bodies", self.bodies);
                let expected = format!("rows like those of {}", ring.describe());
                return Err(Error::WrongShape { what, found: moment.describe(), expected });
            }
            let tile = Rect::whole(moment.width(), self.rows);
            ring.texture().copy_to(0, row, moment.texture(), tile);
        }
        self.kept += 1;
        Ok(())
    }

    /// A trail of the same moments for the first `bodies` in other buffers, where this one's are the first of them. Those that are more were
    /// nowhere then, and have no tail yet. It reads back what is kept, and waits for it.
    ///
    /// # Errors
    /// As [`Trail::new`].
    pub fn widened(&self, gpu: &Gpu, buffers: [&Buffer; 2], bodies: usize) -> Result<Trail> {
        let mut trail = Trail::new(gpu, buffers, bodies, self.moments)?;
        let (kept, rings) =
            (self.len(), [(&self.positions, &trail.positions), (&self.velocities, &trail.velocities)]);
        for (from, to) in rings {
            let (old, parts) = (from.data()?, from.components());
            let (columns, wide) = (from.width() as usize, to.width() as usize);
            let mut new = vec![NOWHERE; parts * wide * to.height() as usize];
            for moment in 0..kept {
                let age = kept - 1 - moment;
                let ring = (self.kept - 1 - age as u64) % u64::from(self.moments);
                for body in 0..self.bodies.min(trail.bodies) {
                    let row = ring as usize * self.rows as usize + body / columns;
                    let at = parts * (row * columns + body % columns);
                    let row = moment * trail.rows as usize + body / wide;
                    let place = parts * (row * wide + body % wide);
                    new[place..place + parts].copy_from_slice(&old[at..at + parts]);
                }
            }
            to.write(&new)?;
        }
        trail.kept = kept as u64;
        Ok(trail)
    }

    /// Forgets all moments.
    pub fn clear(&mut self) {
        self.kept = 0;
    }

    /// Moments that are kept now.
    pub fn len(&self) -> usize {
        self.kept.min(self.moments.into()) as usize
    }

    /// Returns true if no position is kept.
    pub fn is_empty(&self) -> bool {
        self.kept == 0
    }

    pub(super) fn tiles(&self) -> Tiles<'_> {
        let newest = self.kept.saturating_sub(1) % u64::from(self.moments);
        Tiles {
            positions: &self.positions,
            velocities: &self.velocities,
            bodies: self.bodies,
            rows: self.rows,
            moments: self.moments,
            drawn: self.len() as u32,
            newest: newest as u32,
        }
    }
}

/// Moments of bodies as they lie in two buffers.
pub(super) struct Tiles<'a> {
    pub positions: &'a Buffer,
    pub velocities: &'a Buffer,
    pub bodies: usize,
    /// Rows of texels of a moment.
    pub rows: u32,
    pub moments: u32,
    /// How many of them there are.
    pub drawn: u32,
    pub newest: u32,
}

impl Tiles<'_> {
    /// Only where bodies are now.
    pub fn now<'a>(positions: &'a Buffer, velocities: &'a Buffer) -> Tiles<'a> {
        let (bodies, rows) = (positions.len(), positions.height());
        Tiles { positions, velocities, bodies, rows, moments: 1, drawn: 1, newest: 0 }
    }
}

/// Positions of four numbers and velocities of three or four, folded alike.
pub(super) fn check_pair(positions: &Buffer, velocities: &Buffer) -> Result<()> {
    let wrong = |what: &str, found: &Buffer, expected: String| {
        Err(Error::WrongShape { what: what.to_owned(), found: found.describe(), expected })
    };
    if positions.components() < 4 {
        return wrong("positions of bodies", positions, "4 components: x, y, z, mass".to_owned());
    }
    let alike = velocities.rect() == positions.rect() && velocities.len() == positions.len();
    if velocities.components() < 3 || !alike {
        let expected = format!("3 or 4 components, folded as {}", positions.describe());
        return wrong("velocities of bodies", velocities, expected);
    }
    Ok(())
}
