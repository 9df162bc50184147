//! The numbers of a picture: where they lie, their colours and their unit.

use anyhow::Result;
use quadrille::sim::fluid::{Grid, Kind};
use quadrille::view::{Pool, Tones};
use quadrille::{Buffer, Rect};

/// Numbers that are seen in a picture, one a cell.
#[derive(Clone, Copy)]
pub struct Numbers<'a> {
    pub source: Source<'a>,
    /// The numbers of the first and of the last colour.
    pub ends: [f32; 2],
    /// The scale between them.
    pub tones: Tones,
    /// The colours, where the numbers are seen as such.
    pub colours: Option<[[u8; 3]; 256]>,
    pub unit: Unit,
}

/// Where the number of a cell comes from.
#[derive(Clone, Copy)]
pub enum Source<'a> {
    /// Components of a buffer, with these weights.
    Weighed {
        buffer: &'a Buffer,
        channels: [f32; 4],
        /// Row 0 of the buffer is the lowest of the picture, else the highest.
        north_up: bool,
    },
    /// The speed of a flow in the middle of the cell.
    Speed { velocity: &'a Buffer, grid: Grid },
    /// The divergence of a flow in the cell.
    Divergence { velocity: &'a Buffer, grid: Grid },
    /// No numbers are read.
    Unread,
}

/// The unit that numbers are shown in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    pub name: &'static str,
    /// A number is so many of it.
    pub times: f64,
}

impl Unit {
    /// Numbers without a unit.
    pub const NONE: Unit = Unit { name: "", times: 1.0 };

    /// A text and the unit after it.
    pub fn after(&self, text: &str) -> String {
        if self.name.is_empty() { text.to_owned() } else { format!("{text} {}", self.name) }
    }
}

impl Default for Unit {
    fn default() -> Unit {
        Unit::NONE
    }
}

impl Numbers<'_> {
    /// The number of a cell, in its unit: column and row from the upper left corner of the picture.
    ///
    /// # Errors
    /// Those of reading back.
    pub fn at(&self, [x, y]: [u32; 2]) -> Result<Option<f64>> {
        let number = match self.source {
            Source::Weighed { buffer, channels, north_up } => weighed(buffer, channels, north_up, [x, y])?,
            Source::Speed { velocity, grid } => {
                around(velocity, grid, [x, y])?.map(|around| around.speed(grid.kind))
            }
            Source::Divergence { velocity, grid } => {
                let leaving = around(velocity, grid, [x, y])?.map(|around| around.leaving(grid.kind));
                leaving.map(|leaving| leaving / f64::from(grid.spacing))
            }
            Source::Unread => None,
        };
        // A stone among heights is no height.
        let number = number.map(|number| if number == f64::from(Pool::STONE) { f64::NAN } else { number });
        Ok(number.map(|number| number * self.unit.times))
    }

    /// Returns true if [`Numbers::at`] knows numbers.
    pub fn are_read(&self) -> bool {
        !matches!(self.source, Source::Unread)
    }

    /// The number of a share of the colours, in its unit.
    pub fn of_share(&self, share: f64) -> f64 {
        self.tones.number(share, self.ends.map(f64::from)) * self.unit.times
    }
}

fn weighed(buffer: &Buffer, channels: [f32; 4], north_up: bool, [x, y]: [u32; 2]) -> Result<Option<f64>> {
    if x >= buffer.width() || y >= buffer.height() {
        return Ok(None);
    }
    let y = if north_up { buffer.height() - 1 - y } else { y };
    let values = buffer.data_of(Rect::new(x, y, x + 1, y + 1))?;
    let weighed = values.iter().zip(channels).map(|(&value, weight)| f64::from(value) * f64::from(weight));
    // A component that is not shown may be no number.
    Ok(Some(weighed.zip(channels).filter(|(_, weight)| *weight != 0.0).map(|(part, _)| part).sum()))
}

/// The velocities at the corners of a cell, or on its western and southern faces and those of its neighbours.
struct Around {
    here: [f64; 2],
    east: [f64; 2],
    north: [f64; 2],
    far: [f64; 2],
}

fn around(velocity: &Buffer, grid: Grid, [x, y]: [u32; 2]) -> Result<Option<Around>> {
    let [columns, rows] = grid.cells;
    if x >= columns || y >= rows {
        return Ok(None);
    }
    let (width, height, y) = (velocity.width(), velocity.height(), rows - 1 - y);
    let at = |x: u32, y: u32| -> Result<[f64; 2]> {
        // Beyond the far side of a periodic box lies its near one.
        let (x, y) = (x % width, y % height);
        let values = velocity.data_of(Rect::new(x, y, x + 1, y + 1))?;
        Ok(match values[..] {
            [u, v, ..] => [u.into(), v.into()],
            _ => [f64::NAN; 2],
        })
    };
    let (here, east, north, far) = (at(x, y)?, at(x + 1, y)?, at(x, y + 1)?, at(x + 1, y + 1)?);
    Ok(Some(Around { here, east, north, far }))
}

impl Around {
    fn speed(&self, kind: Kind) -> f64 {
        let Around { here, east, north, far } = self;
        let [u, v] = match kind {
            Kind::Staggered => [0.5 * (here[0] + east[0]), 0.5 * (here[1] + north[1])],
            Kind::Collocated => [0, 1].map(|axis| 0.25 * (here[axis] + east[axis] + north[axis] + far[axis])),
        };
        u.hypot(v)
    }

    /// The sum of the flows out of the cell through its sides.
    fn leaving(&self, kind: Kind) -> f64 {
        let Around { here, east, north, far } = self;
        let leaving = east[0] - here[0] + north[1] - here[1];
        match kind {
            Kind::Staggered => leaving,
            Kind::Collocated => 0.5 * (leaving + far[0] - north[0] + far[1] - east[1]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille::Gpu;

    fn of(source: Source<'_>) -> Numbers<'_> {
        Numbers { source, ends: [0.0, 1.0], tones: Tones::default(), colours: None, unit: Unit::NONE }
    }

    #[test]
    fn the_number_of_a_cell_is_that_of_its_column_and_row_as_they_are_seen() -> Result<()> {
        let gpu = Gpu::headless()?;
        let values: Vec<f32> = (0..2 * 5 * 3).map(|i| i as f32).collect();
        let buffer = &gpu.buffer(5, 3).components(2).init(&values)?;
        let numbers = |channels, north_up| of(Source::Weighed { buffer, channels, north_up });
        let second = [0.0, 1.0, 0.0, 0.0];
        assert_eq!(numbers(second, false).at([4, 1])?, Some(19.0));
        assert_eq!(numbers(second, true).at([4, 0])?, Some(29.0));
        assert_eq!(numbers([0.5, 1.0, 0.0, 0.0], false).at([0, 2])?, Some(31.0));
        assert_eq!(numbers(second, false).at([5, 0])?, None);
        let grams = Numbers { unit: Unit { name: "g/kg", times: 1e3 }, ..numbers(second, false) };
        assert_eq!(grams.at([4, 1])?, Some(19e3));
        Ok(())
    }

    #[test]
    fn a_flow_has_its_speed_and_divergence_in_the_middle_of_a_cell_on_both_grids() -> Result<()> {
        let gpu = Gpu::headless()?;
        for kind in Kind::ALL {
            for periodic in [[false; 2], [true; 2]] {
                let grid = Grid { kind, cells: [5, 4], spacing: 0.5, periodic };
                let [width, height] = grid.nodes();
                // u = 3 i, v = -j of the texel (i, j): in a cell both grids have u = 3 (i + 1/2) in its middle.
                let texels =
                    (0..height).flat_map(|j| (0..width).flat_map(move |i| [3.0 * i as f32, -(j as f32)]));
                let velocity = &gpu.buffer(width, height).components(2).init(&texels.collect::<Vec<_>>())?;
                // Cell (2, 1) from the top is row 2 from the bottom.
                let speed = of(Source::Speed { velocity, grid }).at([2, 1])?;
                assert_eq!(speed, Some(7.5f64.hypot(2.5)), "{grid:?}");
                let divergence = of(Source::Divergence { velocity, grid }).at([2, 1])?;
                assert_eq!(divergence, Some(4.0), "{grid:?}");
                assert_eq!(of(Source::Speed { velocity, grid }).at([5, 0])?, None);
                // The last column of a periodic box has the first one beyond it.
                let last = of(Source::Divergence { velocity, grid }).at([4, 1])?;
                assert_eq!(last, Some(if periodic[0] { -26.0 } else { 4.0 }), "{grid:?}");
            }
        }
        Ok(())
    }
}
