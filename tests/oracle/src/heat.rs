//! Heat on a plate with obstacles as plain f64 loops: a step of its diffusion, and the state that it ends in.

use crate::cg;
use quadrille::Result;
use quadrille::numeric::Csr;
use quadrille::sim::heat::{Heat, STATE};

/// A plate of cells. A neighbour that is no obstacle is *open*; a cell that changes is *free*.
#[derive(Clone, Debug)]
pub struct Plate {
    /// Cells a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// β = κΔt/h².
    pub beta: f64,
    /// The temperature beyond the left, right, top and bottom side; none lets no heat through.
    pub sides: [Option<f64>; 4],
    /// Row after row: whether heat gets into the cell at all.
    pub open: Vec<bool>,
    /// Row after row: whether its temperature changes.
    pub free: Vec<bool>,
}

/// A neighbour of a cell.
enum Neighbour {
    Cell(usize),
    Beyond(f64),
}

impl Plate {
    /// The plate of a simulation, and its temperatures: of a state that [`Heat::state`] gave.
    pub fn of(heat: &Heat, state: &[f32]) -> (Plate, Vec<f64>) {
        let (cells, _) = state.as_chunks::<STATE>();
        let plate = Plate {
            width: heat.width() as usize,
            height: heat.height() as usize,
            beta: heat.parameters().beta.into(),
            sides: heat.parameters().sides.in_order().map(|side| side.map(f64::from)),
            open: cells.iter().map(|cell| cell[1] > 0.0).collect(),
            free: cells.iter().map(|cell| cell[2] > 0.0).collect(),
        };
        (plate, cells.iter().map(|cell| cell[0].into()).collect())
    }

    /// The open neighbours to the left, right, above and below.
    fn neighbours(&self, i: usize) -> impl Iterator<Item = Neighbour> {
        let (x, y, w) = (i % self.width, i / self.width, self.width);
        let inside = [
            (x > 0).then(|| i - 1),
            (x + 1 < w).then_some(i + 1),
            (y > 0).then(|| i - w),
            (y + 1 < self.height).then_some(i + w),
        ];
        inside.into_iter().zip(self.sides).filter_map(|(cell, side)| match cell {
            Some(cell) => self.open[cell].then_some(Neighbour::Cell(cell)),
            None => side.map(Neighbour::Beyond),
        })
    }

    /// One step: u' = u + β Σ (u_n − u) over the open neighbours n of every free cell.
    pub fn step(&self, u: &[f64]) -> Vec<f64> {
        let next = |(i, &here): (usize, &f64)| {
            let flow: f64 = self.neighbours(i).map(|n| temperature(&n, u) - here).sum();
            if self.free[i] { here + self.beta * flow } else { here }
        };
        u.iter().enumerate().map(next).collect()
    }

    /// The system A u = b of the temperatures at which no heat flows: a free cell's row is Σ (u − u_n) = 0, any other's
    /// says that it stays as it is in `u`.
    ///
    /// # Errors
    /// [`Error::Empty`](quadrille::Error::Empty) for no cells.
    pub fn balance(&self, u: &[f64]) -> Result<(Csr, Vec<f64>)> {
        let (mut entries, mut right) = (Vec::new(), Vec::new());
        for i in 0..u.len() {
            if !self.free[i] {
                entries.push((i, i, 1.0));
                right.push(u[i]);
                continue;
            }
            let mut known = 0.0;
            for neighbour in self.neighbours(i) {
                entries.push((i, i, 1.0));
                match neighbour {
                    Neighbour::Cell(j) if self.free[j] => entries.push((i, j, -1.0)),
                    other => known += temperature(&other, u),
                }
            }
            right.push(known);
        }
        Ok((Csr::from_triplets(u.len(), u.len(), entries)?, right))
    }

    /// Where the steps from `u` lead: A u = b solved to 10⁻¹³ of b by conjugate gradients, which leave the mean of a
    /// pocket of cells that nothing holds as it is, like the steps themselves.
    ///
    /// # Errors
    /// As [`Plate::balance`].
    pub fn steady(&self, u: &[f64]) -> Result<Vec<f64>> {
        let (matrix, right) = self.balance(u)?;
        Ok(cg(&matrix, &right, Some(u), 1e-13, 1000 + 4 * u.len()).x)
    }
}

fn temperature(neighbour: &Neighbour, u: &[f64]) -> f64 {
    match neighbour {
        Neighbour::Cell(j) => u[*j],
        Neighbour::Beyond(temperature) => *temperature,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille::numeric::Random;

    /// A plate in which one cell in four is an obstacle and one in ten is held, and rough temperatures.
    fn rough(width: usize, height: usize, sides: [Option<f64>; 4]) -> (Plate, Vec<f64>) {
        let mut random = Random(7);
        let open: Vec<bool> = (0..width * height).map(|_| random.unit() > 0.25).collect();
        let free = open.iter().map(|&open| open && random.unit() > 0.1).collect();
        let u = (0..open.len()).map(|_| random.unit().into()).collect();
        (Plate { width, height, beta: 0.25, sides, open, free }, u)
    }

    #[test]
    fn between_a_hot_and_a_cold_side_temperature_falls_in_equal_steps() -> Result<()> {
        let (width, height) = (9, 4);
        let all = vec![true; width * height];
        let sides = [Some(1.0), Some(0.0), None, None];
        let plate = Plate { width, height, beta: 0.25, sides, open: all.clone(), free: all };
        for (i, u) in plate.steady(&vec![0.3; width * height])?.into_iter().enumerate() {
            let expected = 1.0 - (i % width + 1) as f64 / 10.0;
            assert!((u - expected).abs() < 1e-11, "{u} at {i}");
        }
        Ok(())
    }

    #[test]
    fn the_steady_state_is_where_steps_lead_even_in_pockets() -> Result<()> {
        for sides in [[Some(1.0), Some(0.0), None, None], [Some(0.5), None, Some(0.0), Some(1.0)], [None; 4]]
        {
            let (plate, mut u) = rough(13, 7, sides);
            let steady = plate.steady(&u)?;
            (0..20_000).for_each(|_| u = plate.step(&u));
            let miss = u.iter().zip(&steady).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
            assert!(miss < 1e-9, "{miss:e} with {sides:?}");
        }
        Ok(())
    }

    #[test]
    fn insulated_sides_keep_the_heat_and_obstacles_their_temperature() {
        let (mut plate, u) = rough(11, 10, [None; 4]);
        plate.free.clone_from(&plate.open);
        let next = (0..50).fold(u.clone(), |u, _| plate.step(&u));
        assert!((next.iter().sum::<f64>() - u.iter().sum::<f64>()).abs() < 1e-12);
        assert!((0..u.len()).all(|i| plate.open[i] || next[i] == u[i]));
    }
}
