//! Where bodies were: the last moments of their positions and velocities, kept on the GPU.

use crate::gl::Rect;
use crate::pug::{Buffer, Gpu};
use crate::{Error, Result};

/// The last moments of N bodies, for [`Glow`](super::Glow) to draw as fading tails.
///
/// A ring of tiles, one below the other, each a copy of the two folded arrays: keeping a moment is two copies on the
/// GPU, no pass and no read-back. Meant for few bodies: a moment costs as much to draw as all the bodies.
///
/// # Shapes
/// N bodies of w × h texels and m moments: two buffers of w × h m.
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
    /// An empty trail of so many moments for bodies in buffers like these.
    ///
    /// # Errors
    /// [`Error::WrongShape`] if the two are not folded alike; [`Error::OverLimit`] for more rows than a texture
    /// has; [`Error::Empty`] for 0 moments; [`Error::OutOfMemory`].
    pub fn new(gpu: &Gpu, positions: &Buffer, velocities: &Buffer, moments: u32) -> Result<Trail> {
        check_pair(positions, velocities)?;
        let rows = positions.height();
        let ring = |like: &Buffer, name: &str| {
            let height = rows.saturating_mul(moments);
            let ring = gpu.buffer(like.width(), height).components(like.components());
            ring.precision(like.precision()).named(name).build()
        };
        let (bodies, kept) = (positions.len(), 0);
        let (positions, velocities) =
            (ring(positions, "past positions")?, ring(velocities, "past velocities")?);
        Ok(Trail { positions, velocities, bodies, rows, moments, kept })
    }

    /// Keeps this moment in the place of the oldest.
    ///
    /// # Errors
    /// [`Error::WrongShape`] if the buffers are not like those that the trail was made for.
    pub fn keep(&mut self, positions: &Buffer, velocities: &Buffer) -> Result<()> {
        let row = (self.kept % u64::from(self.moments)) as u32 * self.rows;
        for (ring, moment) in [(&self.positions, positions), (&self.velocities, velocities)] {
            let place = Rect::new(0, row, ring.width(), row + self.rows);
            if moment.len() != self.bodies || moment.texture().shape().format != ring.texture().shape().format
            {
                let what = format!("a trail of {} bodies", self.bodies);
                return Err(Error::WrongShape { what, found: moment.describe(), expected: ring.describe() });
            }
            ring.texture().copy_to(place.x0, place.y0, moment.texture(), moment.rect());
        }
        self.kept += 1;
        Ok(())
    }

    /// Forgets all moments.
    pub fn clear(&mut self) {
        self.kept = 0;
    }

    /// Moments that are kept now.
    pub fn len(&self) -> usize {
        self.kept.min(self.moments.into()) as usize
    }

    /// Whether there is none.
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
