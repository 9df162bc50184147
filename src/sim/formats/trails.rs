//! The ways of planets in four panels: each leaves a trail that fades.

use super::Orbits;
use super::panels::Places;
use crate::Result;
use crate::pug::{Buffer, Domain, DoubleBuffer, Gpu, Program, StreamHandle};

/// How much of a trail is left a step later: half of it after some 460 steps.
const FADE: f32 = 0.9985;

/// The radius of a planet on the picture, in lengths and in texels: whichever is more.
const RADIUS: (f32, f32) = (0.012, 0.9);

pub(super) struct Trails {
    picture: DoubleBuffer,
    places: Places,
    draw: Program,
    streams: [StreamHandle; 2],
}

impl Trails {
    /// Panels of width × height texels.
    pub fn new(gpu: &Gpu, width: u32, height: u32) -> Result<Trails> {
        let places = Places::new(gpu, width, height)?;
        let texel = 2.0 * Orbits::EXTENT / width.min(height) as f32;
        let (x, y) = (0.5 * texel * width as f32, 0.5 * texel * height as f32);
        let mut draw = gpu.builtin("sim/orbit_trail.frag")?;
        draw.bind_float("radius", RADIUS.0.max(RADIUS.1 * texel))?.bind_float("fade", FADE)?;
        // Upwards is up: row 0 is the top row of a picture.
        draw.bind_domain("place", Domain::new(-x, y, x, -y))?;
        let streams = [draw.stream("trail")?, draw.stream("planets")?];
        let mut trails = Trails { picture: places.buffer(gpu, 1).double().build()?, places, draw, streams };
        trails.clear()?;
        Ok(trails)
    }

    /// Removes all trails; the lines between the panels are drawn.
    pub fn clear(&mut self) -> Result<()> {
        self.set(&self.places.framed(&[1.0]))
    }

    /// Goes on from such a picture.
    pub fn set(&mut self, values: &[f32]) -> Result<()> {
        self.picture.write(values)?;
        // The lines are never drawn again: they have to be in both buffers.
        self.picture.swap();
        self.picture.write(values)
    }

    /// Draws the planets where they are now: a pass for each format.
    pub fn draw<'a>(&mut self, states: impl Iterator<Item = &'a Buffer>) -> Result<()> {
        let [trail, planets] = self.streams;
        for (format, state) in states.enumerate() {
            self.draw.bind_stream(trail, self.picture.front())?.bind_stream(planets, state)?;
            self.draw.run_over(self.picture.back(), self.places.of(format))?;
        }
        self.picture.swap();
        Ok(())
    }

    pub fn picture(&self) -> &Buffer {
        self.picture.front()
    }

    pub fn places(&self) -> Places {
        self.places
    }
}
