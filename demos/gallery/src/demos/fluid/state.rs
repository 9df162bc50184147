//! The state of a fluid as planes one below the other, rows from the south.

use std::path::Path;

use anyhow::{Result, bail};
use quadrille::sim::fluid::{Fluid, Kind, Memory};

use crate::demo::Request;
use crate::state::{Array, Parts};

/// u, v, red, green, blue, heat, solid, two of what the next step knows of pressures, u and v of the step before, and one that
/// begins with seven numbers of its own: the totals of the dye, 0 where it is not kept, how much is known of pressures, the time
/// step of it, and the grid.
pub const PLANES: usize = NAMES.len();

/// The same by their names.
pub const NAMES: [&str; 12] = [
    "u",
    "v",
    "red",
    "green",
    "blue",
    "heat",
    "solid",
    "pressure_velocity",
    "whole_pressure_velocity",
    "previous_u",
    "previous_v",
    "account",
];

/// Where the velocity before and those numbers are.
const PREVIOUS: usize = 9;
const OWN: usize = 11;

/// The numbers of the fluid as it is now.
pub fn of(fluid: &Fluid) -> Result<Array> {
    let grid = fluid.grid();
    let ([width, height], [columns, _]) = (sides(grid.nodes()), sides(grid.centres()));
    let plane = width * height;
    let mut values = vec![0.0; PLANES * plane];
    let (velocity, dye, solids) = (fluid.velocity().data()?, fluid.dye().data()?, fluid.solids().data()?);
    let Memory { unknown, whole, previous, projections, time_step, total } = fluid.memory()?;
    for (first, velocity) in [(0, velocity), (PREVIOUS, previous)] {
        for (node, uv) in velocity.as_chunks::<2>().0.iter().enumerate() {
            [0, 1].into_iter().for_each(|axis| values[(first + axis) * plane + node] = uv[axis]);
        }
    }
    let mut fill = |k: usize, centre: usize, number: f32| {
        values[k * plane + centre / columns * width + centre % columns] = number;
    };
    for (centre, numbers) in dye.as_chunks::<4>().0.iter().enumerate() {
        numbers.iter().zip(2..).for_each(|(&number, k)| fill(k, centre, number));
    }
    for (k, numbers) in [solids, unknown, whole].iter().enumerate() {
        numbers.iter().enumerate().for_each(|(centre, &number)| fill(6 + k, centre, number));
    }
    let [red, green, blue, heat] = total.unwrap_or_default();
    let own = [red, green, blue, heat, projections as f32, time_step, code_of(grid.kind)];
    values[OWN * plane..][..own.len()].copy_from_slice(&own);
    Ok(Array { height: PLANES * height, width, components: 1, values })
}

/// Goes on from such planes.
pub fn set(fluid: &mut Fluid, values: &[f32]) -> Result<()> {
    let grid = fluid.grid();
    let ([width, height], [columns, rows]) = (sides(grid.nodes()), sides(grid.centres()));
    let plane = width * height;
    let velocity_from = |first: usize| -> Vec<f32> {
        (0..plane).flat_map(|node| [first, first + 1].map(|k| values[k * plane + node])).collect()
    };
    let nodes = || (0..rows).flat_map(|row| (0..columns).map(move |column| row * width + column));
    let dye: Vec<f32> = nodes().flat_map(|node| [2, 3, 4, 5].map(|k| values[k * plane + node])).collect();
    let solids: Vec<bool> = nodes().map(|node| values[6 * plane + node] > 0.5).collect();
    fluid.set_solids(&solids)?;
    fluid.set_velocity(&velocity_from(0))?;
    fluid.set_dye(&dye)?;
    let [unknown, whole] = [7, 8].map(|k| nodes().map(|node| values[k * plane + node]).collect::<Vec<f32>>());
    let &[red, green, blue, heat, projections, time_step, _] = own_numbers(values) else { return Ok(()) };
    let total = [red, green, blue, heat];
    // A total that was not kept is counted anew.
    let total = (total != [0.0; 4]).then_some(total);
    let (previous, projections) = (velocity_from(PREVIOUS), projections as u32);
    fluid.set_memory(&Memory { unknown, whole, previous, projections, time_step, total })?;
    Ok(())
}

/// The pressure, as a velocity, that such planes hold.
pub fn unknown(fluid: &Fluid, values: &[f32]) -> Vec<f32> {
    let ([width, height], [columns, rows]) = (sides(fluid.grid().nodes()), sides(fluid.grid().centres()));
    let plane = &values[7 * width * height..];
    (0..rows).flat_map(|row| &plane[row * width..][..columns]).copied().collect()
}

/// The seven numbers of the last plane.
fn own_numbers(values: &[f32]) -> &[f32] {
    &values[OWN * values.len() / PLANES..][..7]
}

fn code_of(kind: Kind) -> f32 {
    match kind {
        Kind::Collocated => 1.0,
        Kind::Staggered => 2.0,
    }
}

/// The grid that a state is of; `None` where it does not say.
pub fn kind(values: &[f32]) -> Option<Kind> {
    Kind::ALL.into_iter().find(|&kind| own_numbers(values)[6] == code_of(kind))
}

/// Confirms that a fluid of that grid can have such numbers.
pub fn check(fluid: &Fluid, values: &[f32]) -> Result<()> {
    let grid = fluid.grid();
    let ([width, height], [columns, rows]) = (sides(grid.nodes()), sides(grid.centres()));
    for (n, &number) in values.iter().enumerate() {
        let plane = width * height;
        let (k, x, y) = (n / plane, n % width, n / width % height);
        let expected = match (k, n % plane) {
            (0 | 1 | 9 | 10, _) => continue,
            (OWN, 0..=3) if number < 0.0 => "a total from 0 on",
            (OWN, 4) if ![0.0, 1.0, 2.0].contains(&number) => "0, 1 or 2 projections",
            (OWN, 5) if number != 0.0 && !(1e-12..=1e12).contains(&number) => "a time step",
            (OWN, 6) if number != code_of(grid.kind) => "1 of a collocated grid, 2 of a staggered one",
            (OWN, 7..) if number != 0.0 => "0 after seven numbers",
            (OWN, _) => continue,
            _ if (x >= columns || y >= rows) && number != 0.0 => "0: no centre is there",
            (2..=5, _) if number < 0.0 => "a dye or a heat from 0 on",
            (6, _) if number != 0.0 && number != 1.0 => "0 or 1 in the plane of solids",
            _ => continue,
        };
        bail!("no state of such a fluid: {number} at ({x}, {y}) of plane {k}, expected {expected}");
    }
    Ok(())
}

fn sides(size: [u32; 2]) -> [usize; 2] {
    size.map(|n| n as usize)
}

/// A saved state, and how many nodes it has, which must be those of --size if that is given.
pub fn load(request: &Request) -> Result<Option<([u32; 2], Vec<f32>)>> {
    let shape = format!("({PLANES} height, width)");
    let read = |path: &Path| request.host.array(path, Some((&|shape: &[u64]| shape.len() == 2, &shape)));
    let (Some(path), Some(array)) = (request.path(), request.array(&Parts::Planes(&NAMES), read)?) else {
        return Ok(None);
    };
    let Array { height, width, values, .. } = array;
    let file = path.display();
    if !height.is_multiple_of(PLANES) {
        bail!("{file}: {height} rows, a state of fluid has {PLANES} planes: shape {shape}");
    }
    let loaded = [u32::try_from(width)?, u32::try_from(height / PLANES)?];
    if let Some([w, h]) = request.values.size("size").filter(|&size| size != loaded) {
        bail!("{file}: the state is {}x{}, --size says {w}x{h}", loaded[0], loaded[1]);
    }
    if let Some(number) = values.iter().position(|v| !v.is_finite()) {
        bail!("{file}: row {}, column {} is not a finite number", number / width, number % width);
    }
    Ok(Some((loaded, values)))
}
