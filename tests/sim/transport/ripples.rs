//! Ripples: the term that takes them out against f64, what alternates, and what rests.

use super::{U, grids, largest, random_solids, random_velocity, wide};
use crate::support::on_gpu;
use quadrille::Result;
use quadrille::sim::fluid::{Grid, Kind, Transport};

/// Spacings that a velocity of 1 crosses: of no cap, of one for most, of one for all but the slowest.
const WAYS: [f32; 3] = [0.1, 0.5, 7.3];

/// A lattice of numbers, some of which are not there.
struct Lattice {
    counts: [i64; 2],
    periodic: [bool; 2],
    values: Vec<Option<f64>>,
}

impl Lattice {
    /// The lattice of so many of the columns and rows that `stored` has.
    fn new(grid: &Grid, counts: [u32; 2], stored: u32, value: impl Fn(usize) -> Option<f64>) -> Lattice {
        let place = |k: u32| (k / counts[0] * stored + k % counts[0]) as usize;
        let values = (0..counts[0] * counts[1]).map(|k| value(place(k))).collect();
        Lattice { counts: counts.map(i64::from), periodic: grid.periodic, values }
    }

    fn at(&self, place: [i64; 2]) -> Option<f64> {
        let wrapped = [0, 1].map(|axis| match self.periodic[axis] {
            true => place[axis].rem_euclid(self.counts[axis]),
            false => place[axis],
        });
        let inside = (0..2).all(|axis| (0..self.counts[axis]).contains(&wrapped[axis]));
        if inside { self.values[(wrapped[0] + wrapped[1] * self.counts[0]) as usize] } else { None }
    }

    /// An element without its ripples; `speed` is that through its side at -1 or +1 along an axis, in spacings a step.
    fn without(&self, [i, j]: [i64; 2], speed: impl Fn(usize, i64) -> f64) -> Option<f64> {
        let here = self.at([i, j])?;
        let mut sum = here;
        for (axis, way) in [(0, -1), (0, 1), (1, -1), (1, 1)] {
            let next = |far: i64| if axis == 0 { [i + far * way, j] } else { [i, j + far * way] };
            let (behind, ahead) = (self.at(next(-1)).unwrap_or(here), self.at(next(1)).unwrap_or(here));
            let further = self.at(next(2)).unwrap_or(ahead);
            let further = if self.at(next(1)).is_some() { further } else { ahead };
            let (slope, third) = (ahead - here, further - 3.0 * ahead + 3.0 * here - behind);
            let down = third.clamp((-4.0 * slope).min(0.0), (-4.0 * slope).max(0.0));
            sum -= (speed(axis, way).abs() / 6.0).min(1.0 / 32.0) * down;
        }
        Some(sum)
    }
}

/// Differences of numbers up to 1, eight at most, are off by 32 roundings, of which a flux is at most a 32nd; four of them, and sums.
const BOUND: f64 = 12.0 * U;

#[test]
fn a_scalar_without_its_ripples_is_that_of_f64_beside_solids_too() -> Result<()> {
    on_gpu(|gpu| {
        let grids = [[1, 1], [1, 9], [7, 13], [16, 5]].into_iter().flat_map(grids);
        for (grid, solid) in grids.flat_map(|grid| [(grid, false), (grid, true)]) {
            let (solids, buffer) = random_solids(gpu, &grid, 6)?;
            let mut transport = Transport::new(gpu, grid)?;
            transport.set_solids(solid.then_some(&buffer))?;
            for way in WAYS {
                let (velocity, stream) = random_velocity(gpu, &grid, 11)?;
                let count = grid.centres().map(|n| n as usize).iter().product();
                let field = quadrille::numeric::Random(12).floats(count);
                let is_solid = |k: usize| solid && solids[k];
                let out = grid.scalar(gpu, 1).build()?;
                let given = grid.scalar(gpu, 1).init(&field)?;
                transport.take_ripples_of_scalar(&stream, way * grid.spacing, &given, &out)?;
                let (found, velocity, field) = (wide(&out.data()?), wide(&velocity), wide(&field));
                let [columns, _] = grid.centres();
                let lattice =
                    Lattice::new(&grid, grid.centres(), columns, |k| (!is_solid(k)).then(|| field[k]));
                let stored = grid.nodes();
                let component =
                    |axis: usize| Lattice::new(&grid, stored, stored[0], |k| Some(velocity[2 * k + axis]));
                let speeds = [component(0), component(1)];
                let exact = (0..count).map(|k| {
                    let place = [k as i64 % i64::from(columns), k as i64 / i64::from(columns)];
                    let there = |axis: usize, far: i64| {
                        let beside =
                            if axis == 0 { [place[0] + far, place[1]] } else { [place[0], place[1] + far] };
                        speeds[axis].at(beside).unwrap_or(0.0)
                    };
                    let speed = |axis: usize, side: i64| match grid.kind {
                        Kind::Staggered => there(axis, side.max(0)),
                        Kind::Collocated => 0.5 * (there(axis, 0) + there(axis, side)),
                    };
                    lattice
                        .without(place, |axis, side| f64::from(way) * speed(axis, side))
                        .unwrap_or(field[k])
                });
                let off = largest(exact.zip(&found).map(|(exact, found)| exact - found));
                assert!(off <= BOUND, "{grid:?}, way {way}, solids {solid}: {off:e}");
                let sum =
                    |values: &[f64]| (0..count).filter(|&k| !is_solid(k)).map(|k| values[k]).sum::<f64>();
                let made = (sum(&found) - sum(&field)).abs();
                assert!(
                    made <= 4.0 * U * count as f64,
                    "{grid:?}, way {way}, solids {solid}: makes {made:e}"
                );
            }
        }
        Ok(())
    })
}

/// The velocity through a side of an element of a component. Of u through a corner: v at both sides of the face; else what is before
/// and behind the side.
fn speed(
    grid: &Grid,
    lattices: &[Lattice; 2],
    (component, place): (usize, [i64; 2]),
    axis: usize,
    side: i64,
) -> f64 {
    let apart = if axis == component || grid.kind == Kind::Collocated { axis } else { component };
    let mut places = [place; 2];
    if apart == axis {
        places[1][axis] += side;
    } else {
        places[1][apart] -= 1;
        places.iter_mut().for_each(|place| place[axis] += side.max(0));
    }
    0.5 * places.iter().filter_map(|&place| lattices[axis].at(place)).sum::<f64>()
}

/// Two elements off the sides, beyond which another number stands for a speed; what solids hold stays.
#[test]
fn a_velocity_without_its_ripples_is_that_of_f64() -> Result<()> {
    on_gpu(|gpu| {
        for grid in [[7, 13], [16, 5], [6, 7]].into_iter().flat_map(grids) {
            let mut transport = Transport::new(gpu, grid)?;
            for way in WAYS {
                let ((velocity, stream), (taken, other)) =
                    (random_velocity(gpu, &grid, 13)?, random_velocity(gpu, &grid, 14)?);
                transport.set_solids(None)?;
                let out = grid.velocity(gpu).build()?;
                transport.take_ripples_of_velocity(&stream, way * grid.spacing, &other, &out)?;
                let (found, velocity, taken) = (wide(&out.data()?), wide(&velocity), wide(&taken));
                let stored = grid.nodes();
                let lattices = [0, 1].map(|axis| {
                    let mut counts = stored;
                    counts[1 - axis] -= u32::from(grid.kind == Kind::Staggered && !grid.periodic[1 - axis]);
                    Lattice::new(&grid, counts, stored[0], |k| Some(velocity[2 * k + axis]))
                });
                let mut seen = 0;
                for (k, component) in (0..found.len() / 2).flat_map(|k| [(k, 0), (k, 1)]) {
                    let place = [k % stored[0] as usize, k / stored[0] as usize].map(|n| n as i64);
                    let off_sides = |axis: usize| {
                        grid.periodic[axis]
                            || (2..lattices[component].counts[axis] - 2).contains(&place[axis])
                    };
                    if !(off_sides(0) && off_sides(1)) {
                        continue;
                    }
                    seen += 1;
                    let speed =
                        |axis, side| f64::from(way) * speed(&grid, &lattices, (component, place), axis, side);
                    let exact = lattices[component].without(place, speed);
                    let off =
                        (exact.unwrap_or(f64::NAN) - taken[2 * k + component] - found[2 * k + component])
                            .abs();
                    assert!(off <= BOUND, "{grid:?}, way {way}, {component} at {place:?}: {off:e}");
                }
                assert!(seen > 0);
                // The values beside the last u and the last v are read by none.
                let inside = |k: usize, component: usize| {
                    let place = [k % stored[0] as usize, k / stored[0] as usize].map(|n| n as i64);
                    lattices[component].at(place).is_some()
                        && (0..2).all(|axis| place[axis] < lattices[component].counts[axis])
                };
                let numbers = || (0..found.len()).filter(|n| inside(n / 2, n % 2));
                let mut marred: Vec<f32> = vec![900.0; found.len()];
                numbers().for_each(|n| marred[n] = velocity[n] as f32);
                transport.take_ripples_of_velocity(
                    &grid.velocity(gpu).init(&marred)?,
                    way * grid.spacing,
                    &other,
                    &out,
                )?;
                let again = wide(&out.data()?);
                assert!(numbers().all(|n| again[n] == found[n]), "{grid:?}, way {way}");
                let (solids, buffer) = random_solids(gpu, &grid, 3)?;
                transport.set_solids(Some(&buffer))?;
                transport.take_ripples_of_velocity(&stream, way * grid.spacing, &other, &out)?;
                let found = wide(&out.data()?);
                let of_solids = (0..solids.len()).filter(|&k| solids[k]).flat_map(|k| {
                    let k =
                        k / grid.centres()[0] as usize * stored[0] as usize + k % grid.centres()[0] as usize;
                    [2 * k, 2 * k + 1]
                });
                let off = largest(of_solids.map(|n| velocity[n] - taken[n] - found[n]));
                assert!(off <= 2.0 * U, "{grid:?}: {off:e}");
                // The values inside solids, on a face between two of their cells, are read by none outside.
                let cell = |place: [i64; 2]| {
                    let [i, j] =
                        [0, 1].map(|axis| match (grid.periodic[axis], i64::from(grid.centres()[axis])) {
                            (true, count) => place[axis].rem_euclid(count),
                            (false, count) => place[axis].clamp(0, count - 1),
                        });
                    solids[(j * i64::from(grid.centres()[0]) + i) as usize]
                };
                let within = |n: usize| {
                    let mut place =
                        [n / 2 % stored[0] as usize, n / 2 / stored[0] as usize].map(|at| at as i64);
                    let here = cell(place);
                    place[n % 2] -= i64::from(grid.kind == Kind::Staggered);
                    here && cell(place)
                };
                let mut marred: Vec<f32> = velocity.iter().map(|&v| v as f32).collect();
                (0..marred.len()).filter(|&n| within(n)).for_each(|n| marred[n] += 3.0);
                let marred = grid.velocity(gpu).init(&marred)?;
                transport.take_ripples_of_velocity(&marred, way * grid.spacing, &other, &out)?;
                let again = wide(&out.data()?);
                assert!((0..again.len()).all(|n| within(n) || again[n] == found[n]), "{grid:?}, way {way}");
            }
        }
        Ok(())
    })
}

/// Elements of open cells whose neighbours all are there, while further on some lie between two solids.
#[test]
fn a_velocity_without_its_ripples_is_that_of_f64_beside_solids() -> Result<()> {
    on_gpu(|gpu| {
        for grid in grids([31, 29]) {
            let (velocity, stream) = random_velocity(gpu, &grid, 15)?;
            let (taken, other) = random_velocity(gpu, &grid, 16)?;
            let (solids, buffer) = random_solids(gpu, &grid, 5)?;
            let (out, stored) = (grid.velocity(gpu).build()?, grid.nodes());
            let mut transport = Transport::new(gpu, grid)?;
            transport.set_solids(Some(&buffer))?;
            let way = WAYS[1];
            transport.take_ripples_of_velocity(&stream, way * grid.spacing, &other, &out)?;
            let (found, velocity, taken) = (wide(&out.data()?), wide(&velocity), wide(&taken));
            let is_open = |place: [i64; 2]| {
                let [i, j] = [0, 1].map(|axis| {
                    let count = i64::from(grid.centres()[axis]);
                    if grid.periodic[axis] {
                        place[axis].rem_euclid(count)
                    } else {
                        place[axis].clamp(0, count - 1)
                    }
                });
                !solids[(j * i64::from(grid.centres()[0]) + i) as usize]
            };
            // The cells on both sides of a face; a node is in one.
            let sides = |component: usize, [i, j]: [i64; 2]| match (grid.kind, component) {
                (Kind::Collocated, _) => [is_open([i, j]); 2],
                (_, 0) => [is_open([i - 1, j]), is_open([i, j])],
                _ => [is_open([i, j - 1]), is_open([i, j])],
            };
            let place = |k: usize| [k % stored[0] as usize, k / stored[0] as usize].map(|n| n as i64);
            let lattices = [0, 1].map(|axis| {
                let mut counts = stored;
                counts[1 - axis] -= u32::from(grid.kind == Kind::Staggered && !grid.periodic[1 - axis]);
                let value = |k| (sides(axis, place(k)) != [false; 2]).then(|| velocity[2 * k + axis]);
                Lattice::new(&grid, counts, stored[0], value)
            });
            let (mut seen, mut cut) = (0, 0);
            for (k, component) in (0..found.len() / 2).flat_map(|k| [(k, 0), (k, 1)]) {
                let [i, j] = place(k);
                let around =
                    |far: i64| (-far..=far).flat_map(move |dj| (-far..=far).map(move |di| [i + di, j + dj]));
                let whole = |far: i64| {
                    around(far).all(|place| lattices.iter().all(|lattice| lattice.at(place).is_some()))
                };
                if !whole(1) || sides(component, [i, j]) != [true; 2] {
                    continue;
                }
                (seen, cut) = (seen + 1, cut + usize::from(!whole(2)));
                let speed =
                    |axis, side| f64::from(way) * speed(&grid, &lattices, (component, [i, j]), axis, side);
                let exact = lattices[component].without([i, j], speed);
                let off = exact.unwrap_or(f64::NAN) - taken[2 * k + component] - found[2 * k + component];
                assert!(off.abs() <= BOUND, "{grid:?}, {component} at {i}, {j}: {off:e}");
            }
            assert!(seen > 100 && cut > 50, "{grid:?}: {seen}, {cut}");
        }
        Ok(())
    })
}

/// Columns that alternate keep 1 - 16 K: 1 - 8c/3, a half at least. What rests, and what is the same everywhere, stay to the bit.
#[test]
fn columns_that_alternate_fall_and_what_rests_stays() -> Result<()> {
    on_gpu(|gpu| {
        for (kind, (way, left)) in
            Kind::ALL.into_iter().flat_map(|kind| [(0.1f32, 1.0 - 0.8 / 3.0), (0.3, 0.5)].map(|w| (kind, w)))
        {
            let grid = Grid { kind, cells: [8, 6], spacing: 1.0, periodic: [true; 2] };
            let mut transport = Transport::new(gpu, grid)?;
            let turn = |k: usize| if k.is_multiple_of(2) { 1.0f32 } else { -1.0 };
            let combs: Vec<f32> = (0..48).flat_map(|k| [1.0, turn(k)]).collect();
            let velocity = grid.velocity(gpu).init(&combs)?;
            let (none, out) = (grid.velocity(gpu).init(&[0.0; 96])?, grid.velocity(gpu).build()?);
            transport.take_ripples_of_velocity(&velocity, way, &none, &out)?;
            for (k, &[u, v]) in out.data()?.as_chunks::<2>().0.iter().enumerate() {
                let off = (f64::from(v * turn(k)) - left).abs();
                assert!(u == 1.0 && off <= 4.0 * U, "{kind:?}: {u} {v} at {k}, {left} is left");
            }
            let field: Vec<f32> = (0..48).map(turn).collect();
            let (scalar, out) = (grid.scalar(gpu, 1).init(&field)?, grid.scalar(gpu, 1).build()?);
            transport.take_ripples_of_scalar(&velocity, way, &scalar, &out)?;
            assert!(
                out.data()?.iter().enumerate().all(|(k, q)| (f64::from(q * turn(k)) - left).abs() <= 4.0 * U)
            );
            transport.take_ripples_of_scalar(&none, way, &scalar, &out)?;
            assert_eq!(out.data()?, field);
        }
        Ok(())
    })
}
