//! All that a box is, as an array.

use super::flow::Flow;
use crate::linalg::{Vector, Voxels};
use crate::{Error, Result};

/// The elements (i, j, k), 0 ≤ i ≤ nx, 0 ≤ j ≤ ny, 0 ≤ k ≤ nz, one after the other in the order x, y, z, each of them
/// `numbers` numbers: u, v, w on the faces before voxel (i, j, k), the pressure of the last projection in it, and then φ of
/// a liquid, or density and temperature of smoke. What lies beyond the box or its last face is 0.
///
/// The last element lies beyond all of them. It is the clock: seconds since the start, steps (exact to 2²⁴), seconds of the
/// last step; and its last number is the volume that a liquid keeps, in voxels. A state that is set has no number below 0
/// there, and no speed above [`State::FASTEST`].
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// nx + 1, ny + 1, nz + 1.
    pub size: [usize; 3],
    /// Numbers of an element.
    pub numbers: usize,
    /// In that order.
    pub values: Vec<f32>,
}

impl State {
    /// No component of a velocity of a state is larger, in m/s. What falls through the largest box that
    /// [`Parameters`](super::Parameters) allow, with their greatest gravity, comes to √(2 g h) = 4.5·10⁴.
    pub const FASTEST: f32 = 1e7;
}

/// Numbers of an element that every box has.
const OF_ALL: usize = 4;

/// The rest of a state that was written, for its owner.
pub(super) struct Written {
    pub pressure: Vector,
    pub kept: f32,
}

/// Reads velocity, pressure, these fields and the clock back.
pub(super) fn read(flow: &Flow, fields: &[&Vector], kept: f32) -> Result<State> {
    let velocity = (0..3).map(|axis| flow.velocity.component(axis));
    let all = velocity.chain([flow.projection.pressure()]).chain(fields.iter().copied());
    let all: Vec<Vec<f32>> = all.map(Vector::get).collect::<Result<_>>()?;
    let places: Vec<usize> = places(flow.voxels()).collect();
    let numbers = OF_ALL + fields.len();
    let mut values: Vec<f32> =
        places.iter().flat_map(|&place| all.iter().map(move |field| field[place])).collect();
    let [time_step, time] = flow.times()?;
    let clock = values.len() - numbers;
    values[clock..clock + 3].copy_from_slice(&[time, flow.steps as f32, time_step]);
    values[clock + numbers - 1] = kept;
    Ok(State { size: flow.voxels().size().map(|n| n as usize + 1), numbers, values })
}

/// Uploads velocity and fields, and sets the clock; a state that is refused changes nothing.
pub(super) fn write(flow: &mut Flow, fields: &mut [&mut Vector], values: &[f32]) -> Result<Written> {
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
    let (elements, clock) = values.split_at(values.len() - numbers);
    check(voxels, elements.chunks_exact(numbers), clock)?;
    let field = |number: usize| {
        let mut field = vec![0.0; voxels.layout().len()];
        let values = elements.iter().skip(number).step_by(numbers);
        places.iter().zip(values).for_each(|(&place, &value)| field[place] = value);
        field
    };
    for axis in 0..3 {
        flow.velocity.component_mut(axis).set(&field(axis))?;
    }
    for (number, vector) in fields.iter_mut().enumerate() {
        vector.set(&field(OF_ALL + number))?;
    }
    flow.time.set(clock[0]);
    flow.steps = clock[1] as u64;
    flow.time_step.set(clock[2]);
    let pressure = flow.algebra().vector(voxels.layout(), &field(3))?;
    Ok(Written { pressure, kept: clock[numbers - 1] })
}

/// Confirms that a step can begin in that state.
fn check<'a>(voxels: Voxels, mut elements: impl Iterator<Item = &'a [f32]>, clock: &[f32]) -> Result<()> {
    let within = |name, found: f32, least: f32, most: f32| {
        if (least..=most).contains(&found) {
            return Ok(());
        }
        let (found, expected) = (format!("{found:?}"), format!("{least:?} to {most:?}"));
        Err(Error::BadParameter { name, found, expected })
    };
    let fastest = State::FASTEST;
    elements.try_for_each(|element| {
        element[..3].iter().try_for_each(|&v| within("velocity of a state (m/s)", v, -fastest, fastest))
    })?;
    // The sum of a box full of water is rounded by less.
    let full = 1.001 * voxels.size().into_iter().map(|n| n as f32).product::<f32>();
    within("time of a state's clock (s)", clock[0], 0.0, f32::MAX)?;
    within("steps of a state's clock", clock[1], 0.0, f32::MAX)?;
    within("last step of a state's clock (s)", clock[2], 0.0, f32::MAX)?;
    within("volume of a state's clock (voxels)", clock[clock.len() - 1], 0.0, full)
}

fn places(voxels: Voxels) -> impl Iterator<Item = usize> {
    let [nx, ny, nz] = voxels.size();
    let all = (0..=nz).flat_map(move |k| (0..=ny).flat_map(move |j| (0..=nx).map(move |i| [i, j, k])));
    all.map(move |element| voxels.index(element))
}
