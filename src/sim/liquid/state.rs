//! All that a box is, as an array.

use super::flow::Flow;
use crate::linalg::{Vector, Voxels};
use crate::{Error, Result};

/// The elements (i, j, k), 0 ≤ i ≤ nx, 0 ≤ j ≤ ny, 0 ≤ k ≤ nz, one after the other in the order x, y, z, each of them
/// `numbers` numbers: u, v, w on the faces before voxel (i, j, k), the pressure of the last projection in it, and then φ of
/// a liquid, or density and temperature of smoke. What lies beyond the box or its last face is 0.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// nx + 1, ny + 1, nz + 1.
    pub size: [usize; 3],
    /// Of an element.
    pub numbers: usize,
    /// In that order.
    pub values: Vec<f32>,
}

/// Numbers of an element that every box has.
const OF_ALL: usize = 4;

/// Reads velocity, pressure and these fields back.
pub(super) fn read(flow: &Flow, fields: &[&Vector]) -> Result<State> {
    let velocity = (0..3).map(|axis| flow.velocity.component(axis));
    let all = velocity.chain([flow.projection.pressure()]).chain(fields.iter().copied());
    let all: Vec<Vec<f32>> = all.map(Vector::get).collect::<Result<_>>()?;
    let places: Vec<usize> = places(flow.voxels()).collect();
    let values = places.iter().flat_map(|&place| all.iter().map(move |field| field[place])).collect();
    Ok(State { size: flow.voxels().size().map(|n| n as usize + 1), numbers: OF_ALL + fields.len(), values })
}

/// Uploads velocity and fields; what is left is the pressure.
pub(super) fn write(flow: &mut Flow, fields: &mut [&mut Vector], values: &[f32]) -> Result<Vector> {
    let (voxels, numbers) = (flow.voxels(), OF_ALL + fields.len());
    let places: Vec<usize> = places(voxels).collect();
    if values.len() != numbers * places.len() {
        let [nx, ny, nz] = voxels.size().map(|n| n + 1);
        let (what, shape) = ("state of a box".to_owned(), format!("{nx}x{ny}x{nz} times {numbers}"));
        return Err(Error::WrongLength {
            what,
            found: values.len(),
            expected: numbers * places.len(),
            shape,
        });
    }
    let field = |number: usize| {
        let mut field = vec![0.0; voxels.layout().len()];
        places.iter().enumerate().for_each(|(i, &place)| field[place] = values[numbers * i + number]);
        field
    };
    for axis in 0..3 {
        flow.velocity.component_mut(axis).set(&field(axis))?;
    }
    for (number, vector) in fields.iter_mut().enumerate() {
        vector.set(&field(OF_ALL + number))?;
    }
    flow.algebra().vector(voxels.layout(), &field(3))
}

fn places(voxels: Voxels) -> impl Iterator<Item = usize> {
    let [nx, ny, nz] = voxels.size();
    let all = (0..=nz).flat_map(move |k| (0..=ny).flat_map(move |j| (0..=nx).map(move |i| [i, j, k])));
    all.map(move |element| voxels.index(element))
}
