//! The kernels of a flat fluid, each against its formula in f64 at every texel.

use quadrille::pug::{Prelude, Program};
use quadrille::sim::fluid::{Grid, Kind};
use quadrille::{Buffer, Gpu, Result, kernels};

use crate::support::{Random, on_gpu};

/// Cells of the grids; nodes of a side that is not periodic are one more.
const CELLS: [i64; 2] = [11, 7];

/// Each formula adds up fewer than 32 products of numbers up to 4, each rounded to half of 2⁻²³.
const BOUND: f64 = 32.0 * 4.0 / (1 << 24) as f64;

const SIDES: [[bool; 2]; 4] = [[false; 2], [true, false], [false, true], [true; 2]];

/// Numbers of a rectangle of texels, four a texel.
struct Field {
    size: [i64; 2],
    values: Vec<[f32; 4]>,
}

impl Field {
    fn new(size: [i64; 2], mut value: impl FnMut() -> [f32; 4]) -> Field {
        Field { size, values: (0..size[0] * size[1]).map(|_| value()).collect() }
    }

    fn random(size: [i64; 2], random: &mut Random) -> Field {
        Field::new(size, || std::array::from_fn(|_| random.signed()))
    }

    /// The first numbers of each texel.
    fn buffer(&self, gpu: &Gpu, components: usize) -> Result<Buffer> {
        let values: Vec<f32> = self.values.iter().flat_map(|texel| &texel[..components]).copied().collect();
        gpu.buffer(self.size[0] as u32, self.size[1] as u32).components(components).init(&values)
    }

    /// A number of the texel, or of that at the nearest side.
    fn at(&self, [i, j]: [i64; 2], k: usize) -> f64 {
        let [i, j] = [i.clamp(0, self.size[0] - 1), j.clamp(0, self.size[1] - 1)];
        self.values[(j * self.size[0] + i) as usize][k].into()
    }
}

fn places([width, height]: [i64; 2]) -> impl Iterator<Item = [i64; 2]> {
    (0..height).flat_map(move |j| (0..width).map(move |i| [i, j]))
}

/// A place around periodic sides of so many cells.
fn around(place: [i64; 2], periodic: [bool; 2]) -> [i64; 2] {
    [0, 1].map(|axis| if periodic[axis] { place[axis].rem_euclid(CELLS[axis]) } else { place[axis] })
}

/// The same, or the nearest cell.
fn cell(place: [i64; 2], periodic: [bool; 2]) -> [i64; 2] {
    let around = around(place, periodic);
    [0, 1].map(|axis| around[axis].clamp(0, CELLS[axis] - 1))
}

/// Columns, rows, and the same again where a side is periodic.
fn grid(periodic: [bool; 2]) -> [f32; 4] {
    let period = |axis: usize| if periodic[axis] { CELLS[axis] as f32 } else { 0.0 };
    [CELLS[0] as f32, CELLS[1] as f32, period(0), period(1)]
}

/// Texels of a velocity.
fn nodes(kind: Kind, periodic: [bool; 2]) -> [i64; 2] {
    let grid = Grid { kind, cells: CELLS.map(|n| n as u32), spacing: 1.0, periodic };
    grid.nodes().map(i64::from)
}

fn load(gpu: &Gpu, name: &str, defines: &[(&str, i32)]) -> Result<Program> {
    let kernel = kernels::named(name)?.with(Prelude::Fluid);
    gpu.load(defines.iter().fold(kernel, |kernel, &(define, value)| kernel.define(define, value)))
}

/// That the first numbers of all texels are those.
fn check(
    target: &Buffer,
    components: usize,
    what: &str,
    exact: impl Fn([i64; 2], usize) -> f64,
) -> Result<()> {
    let size = [i64::from(target.width()), i64::from(target.height())];
    let found = target.data()?;
    for (texel, place) in found.chunks(target.components()).zip(places(size)) {
        for (k, &found) in texel[..components].iter().enumerate() {
            let exact = exact(place, k);
            assert!((f64::from(found) - exact).abs() <= BOUND, "{what} at {place:?}, {k}: {found}, {exact}");
        }
    }
    Ok(())
}

fn target(gpu: &Gpu, size: [i64; 2], components: usize) -> Result<Buffer> {
    gpu.buffer(size[0] as u32, size[1] as u32).components(components).build()
}

#[test]
fn vorticity_its_force_and_what_it_accelerates_are_those_of_the_formulas() -> Result<()> {
    on_gpu(|gpu| {
        let random = &mut Random(5);
        for (kind, periodic) in Kind::ALL.into_iter().flat_map(|kind| SIDES.map(|sides| (kind, sides))) {
            let staggered = kind == Kind::Staggered;
            let define = [("STAGGERED", i32::from(staggered))];
            let of_nodes = if staggered { nodes(kind, periodic) } else { CELLS };
            let what = format!("{kind:?} {periodic:?}");

            let velocity = Field::random(of_nodes, random);
            let spin = target(gpu, CELLS, 1)?;
            let mut program = load(gpu, "sim/fluid_vorticity.frag", &define)?;
            program.bind_stream("velocity", &velocity.buffer(gpu, 2)?)?;
            program.bind_float("grid", grid(periodic))?.bind_float("inverse", 0.75)?.run(&spin)?;
            let centre = |place: [i64; 2], k: usize| {
                let next = [place[0] + i64::from(k == 0), place[1] + i64::from(k == 1)];
                let both = velocity.at(place, k) + velocity.at(around(next, periodic), k);
                if staggered { 0.5 * both } else { velocity.at(place, k) }
            };
            check(&spin, 1, &format!("vorticity, {what}"), |[i, j], _| {
                let slope = |low: [i64; 2], high: [i64; 2], axis: usize, k: usize| {
                    let ends = [low, high].map(|place| cell(place, periodic));
                    let apart = if periodic[axis] { 2 } else { ends[1][axis] - ends[0][axis] };
                    (centre(ends[1], k) - centre(ends[0], k)) / apart as f64
                };
                0.75 * (slope([i - 1, j], [i + 1, j], 0, 1) - slope([i, j - 1], [i, j + 1], 1, 0))
            })?;

            let (dye, w) = (Field::random(CELLS, random), Field::random(CELLS, random));
            let force = target(gpu, CELLS, 2)?;
            let mut program = load(gpu, "sim/fluid_force.frag", &[("CONFINED", 1)])?;
            program.bind_stream("dye", &dye.buffer(gpu, 4)?)?.bind_stream("vorticity", &w.buffer(gpu, 1)?)?;
            program.bind_float("grid", grid(periodic))?.bind_float("buoyancy", [0.5, 1.5])?;
            program.bind_float("confinement", 0.25)?.run(&force)?;
            check(&force, 2, &format!("force, {what}"), |[i, j], k| {
                let size = |di: i64, dj: i64| w.at(cell([i + di, j + dj], periodic), 0).abs();
                let slope = [size(1, 0) - size(-1, 0), size(0, 1) - size(0, -1)];
                let length = slope[0].hypot(slope[1]);
                let turned = [slope[1] / length, -slope[0] / length];
                dye.at([i, j], 3) * [0.5, 1.5][k] + 0.25 * w.at([i, j], 0) * turned[k]
            })?;

            let force = Field::random(CELLS, random);
            let next = target(gpu, of_nodes, 2)?;
            let mut program = load(gpu, "sim/fluid_accelerate.frag", &define)?;
            program
                .bind_stream("velocity", &velocity.buffer(gpu, 2)?)?
                .bind_stream("force", &force.buffer(gpu, 2)?)?;
            program.bind_float("grid", grid(periodic))?.bind_float("time_step", 0.5)?.run(&next)?;
            check(&next, 2, &format!("acceleration, {what}"), |[i, j], k| {
                // The mean (1 2 1) / 4 along the face, of the cells on both sides of it.
                let along = |[i, j]: [i64; 2]| {
                    let by = if k == 0 { [0, 1] } else { [1, 0] };
                    let f = |n: i64| force.at(cell([i + n * by[0], j + n * by[1]], periodic), k);
                    0.25 * (f(-1) + f(1)) + 0.5 * f(0)
                };
                let before = if k == 0 { [i - 1, j] } else { [i, j - 1] };
                let mean = if staggered { 0.5 * (along([i, j]) + along(before)) } else { along([i, j]) };
                velocity.at([i, j], k) + 0.5 * mean
            })?;
        }
        Ok(())
    })
}

/// A disc on each side of the box, so that its nearest image lies beyond it on periodic ones.
#[test]
fn a_stirred_disc_is_that_of_the_formula_around_every_side() -> Result<()> {
    on_gpu(|gpu| {
        let field = Field::random(CELLS, &mut Random(6));
        let amount = [0.5, -0.75, 0.9, 0.6];
        for (mode, components, hard) in [(0, 2, 0), (1, 4usize, 0), (2, 4, 0), (2, 4, 1), (2, 4, 2)] {
            for (periodic, centre) in
                SIDES.into_iter().flat_map(|p| [[0.5, 6.5], [10.75, 1.0], [5.0, 3.5]].map(|c| (p, c)))
            {
                let (next, first, radius) = (target(gpu, CELLS, components)?, [0.0, 0.5, 0.25, 1.0], 2.5);
                let mut program = load(gpu, "sim/fluid_stir.frag", &[("MODE", mode)])?;
                program.bind_stream("field", &field.buffer(gpu, components)?)?;
                program
                    .bind_float("centre", centre.map(|v: f64| v as f32))?
                    .bind_float("radius", radius as f32)?;
                let [_, _, columns, rows] = grid(periodic);
                program
                    .bind_float("first", first.map(|v: f64| v as f32))?
                    .bind_float("period", [columns, rows])?;
                program.bind_float("amount", amount.map(|v: f64| v as f32))?;
                if mode == 2 {
                    program.bind_float("hard", hard as f32)?;
                }
                program.run(&next)?;
                check(
                    &next,
                    components,
                    &format!("mode {mode} {hard}, {periodic:?}, {centre:?}"),
                    |place, k| {
                        let from =
                            if mode == 0 && k == 1 { [first[2], first[3]] } else { [first[0], first[1]] };
                        let way = [0, 1].map(|axis| {
                            let way = place[axis] as f64 + from[axis] - centre[axis];
                            let images = [-1.0, 0.0, 1.0].map(|n| (way + n * CELLS[axis] as f64).abs());
                            if periodic[axis] { images.into_iter().fold(f64::MAX, f64::min) } else { way }
                        });
                        let inside = (1.0 - (way[0] * way[0] + way[1] * way[1]) / (radius * radius)).max(0.0);
                        let (added, own) = (amount[k] * inside * inside, field.at(place, k));
                        let far =
                            if hard == 2 { way[0].abs().max(way[1].abs()) } else { way[0].hypot(way[1]) };
                        let share =
                            if hard == 0 { inside * inside } else { f64::from(u8::from(far <= radius)) };
                        match mode {
                            0 => own + added,
                            1 => own.max(added),
                            // Heat stays.
                            _ if k == 3 => own,
                            _ => own + share * (amount[k] - own),
                        }
                    },
                )?;
            }
        }
        Ok(())
    })
}

#[test]
fn the_outflow_between_nodes_is_the_mean_of_both_ends_of_each_side() -> Result<()> {
    on_gpu(|gpu| {
        let random = &mut Random(7);
        // Odd sides are padded, even ones are not; beyond a periodic side padding must not begin anew.
        for (cells, periodic) in SIDES.into_iter().flat_map(|sides| [(CELLS, sides), ([10, 6], sides)]) {
            let around = |place: [i64; 2]| {
                [0, 1].map(
                    |axis| if periodic[axis] { place[axis].rem_euclid(cells[axis]) } else { place[axis] },
                )
            };
            let velocity = Field::random(cells, random);
            let solids = Field::new(cells, || [f32::from(u8::from(random.unit() < 0.06)); 4]);
            let packed = target(gpu, cells.map(|n| (n + 1) / 2), 4)?;
            let mut program = load(gpu, "sim/fluid_between.frag", &[])?;
            program
                .bind_stream("velocity", &velocity.buffer(gpu, 2)?)?
                .bind_stream("solids", &solids.buffer(gpu, 1)?)?;
            let [width, height] = cells.map(|n| n as f32);
            let again = [0, 1].map(|axis| if periodic[axis] { [width, height][axis] } else { 0.0 });
            program.bind_float("grid", [width, height, again[0], again[1]])?.run(&packed)?;
            let (found, mut flowing) = (packed.data()?, 0);
            for [i, j] in places(cells.map(|n| n + n % 2)) {
                let corners = [[i, j], [i + 1, j], [i, j + 1], [i + 1, j + 1]].map(around);
                let open = |&[i, j]: &[i64; 2]| i < cells[0] && j < cells[1] && solids.at([i, j], 0) == 0.0;
                let inside = i < cells[0] && j < cells[1] && corners.iter().all(open);
                flowing += i32::from(inside);
                let [sw, se, nw, ne] = corners.map(|place| [velocity.at(place, 0), velocity.at(place, 1)]);
                let out = 0.5 * (se[0] + ne[0] - sw[0] - nw[0] + nw[1] + ne[1] - sw[1] - se[1]);
                let at = (j / 2 * ((cells[0] + 1) / 2) + i / 2) * 4 + j % 2 * 2 + i % 2;
                let (found, exact) = (f64::from(found[at as usize]), if inside { out } else { 0.0 });
                assert!(
                    (found - exact).abs() <= BOUND,
                    "{cells:?} {periodic:?} at {i}, {j}: {found}, {exact}"
                );
            }
            assert!(flowing > 30);
        }
        Ok(())
    })
}

#[test]
fn half_of_viscosity_is_that_of_the_formula_at_all_sides() -> Result<()> {
    on_gpu(|gpu| {
        let random = &mut Random(8);
        for periodic in SIDES {
            // Columns and rows of u, and of v, in a buffer as large as both.
            let counts =
                [0, 1].map(|k| [0, 1].map(|axis| CELLS[axis] + i64::from(axis == k && !periodic[axis])));
            let size = [0, 1].map(|axis| counts[0][axis].max(counts[1][axis]));
            let (h, velocity) = (Field::random(size, random), Field::random(size, random));
            let held = Field::new(size, || {
                let flag = |random: &mut Random| f32::from(u8::from(random.unit() < 0.1));
                [random.signed(), random.signed(), flag(random), flag(random)]
            });
            let (half_cells, grip, along) =
                ([0.25, 0.5, 0.75, 0.125], [0.5, 0.25, 0.75, 0.375], [0.5, -0.25, 0.75, -0.5]);
            let next = target(gpu, size, 2)?;
            let mut program = load(gpu, "sim/fluid_viscous_half.frag", &[])?;
            program
                .bind_stream("h", &h.buffer(gpu, 2)?)?
                .bind_stream("velocity", &velocity.buffer(gpu, 2)?)?;
            program.bind_stream("held", &held.buffer(gpu, 4)?)?;
            let [[a, b], [c, d]] = counts.map(|count| count.map(|n| n as f32));
            let period = [0, 1].map(|axis| if periodic[axis] { CELLS[axis] as f32 } else { 0.0 });
            program.bind_float("counts", [a, b, c, d])?.bind_float("period", period)?;
            program
                .bind_float("half_cells", half_cells.map(|v: f64| v as f32))?
                .bind_float("grip", grip.map(|v: f64| v as f32))?;
            program.bind_float("along", along.map(|v: f64| v as f32))?.bind_float("a", 0.5)?.run(&next)?;
            check(&next, 2, &format!("{periodic:?}"), |place, k| {
                if held.at(place, 2 + k) > 0.5 {
                    return 0.0;
                }
                let own = velocity.at(place, k);
                let sides = [(0, -1), (0, 1), (1, -1), (1, 1)]
                    .map(|(axis, step)| (axis, step, 2 * axis + usize::from(step > 0)));
                let laplacian: f64 = sides
                    .into_iter()
                    .map(|(axis, step, side)| {
                        let mut there = place;
                        there[axis] += step;
                        let there = around(there, periodic);
                        if !(0..2).all(|axis| (0..counts[k][axis]).contains(&there[axis])) {
                            // The side holds on to what flows along it, and to nothing that flows through it.
                            return if axis == k { 0.0 } else { 2.0 * grip[side] * (along[side] - own) };
                        }
                        // Counted by the columns and rows of u.
                        let first = f64::from(u8::from(place[axis] == 0)) * half_cells[2 * axis];
                        let last = f64::from(u8::from(place[axis] == counts[0][axis] - 1))
                            * half_cells[2 * axis + 1];
                        let value = if held.at(there, 2 + k) > 0.5 {
                            held.at(there, k)
                        } else {
                            velocity.at(there, k)
                        };
                        (value - own) / (1.0 - 0.5 * (first + last))
                    })
                    .sum();
                h.at(place, k) - 0.5 * laplacian
            })?;
        }
        Ok(())
    })
}

#[test]
fn faces_and_room_are_those_counted_cell_by_cell() -> Result<()> {
    on_gpu(|gpu| {
        for (kind, periodic) in Kind::ALL.into_iter().flat_map(|kind| SIDES.map(|sides| (kind, sides))) {
            for solid in [[2, 1], [10, 6], [5, 0]] {
                let staggered = kind == Kind::Staggered;
                let size = if staggered { nodes(kind, periodic) } else { CELLS };
                let mut solids = Field::new(CELLS, || [0.0; 4]);
                solids.values[(solid[1] * CELLS[0] + solid[0]) as usize] = [1.0; 4];
                let open = target(gpu, size, 4)?;
                let mut program = load(gpu, "sim/fluid_open.frag", &[("STAGGERED", i32::from(staggered))])?;
                program.bind_stream("solids", &solids.buffer(gpu, 1)?)?;
                program.bind_float("counts", CELLS.map(|n| n as f32))?;
                program.bind_float("periodic", periodic.map(|p| f32::from(u8::from(p))))?.run(&open)?;
                let is_open = |place| 1.0 - solids.at(cell(place, periodic), 0);
                check(&open, 4, &format!("{kind:?} {periodic:?} {solid:?}"), |[i, j], k| match k {
                    0 if staggered => 0.5 * (is_open([i - 1, j]) + is_open([i, j])),
                    1 if staggered => 0.5 * (is_open([i, j - 1]) + is_open([i, j])),
                    3 => {
                        let cells = (-5..=5i64).flat_map(|dj| (-5..=5i64).map(move |di| [di, dj]));
                        let closed = cells.filter(|[di, dj]| is_open([i + di, j + dj]) == 0.0);
                        closed.map(|[di, dj]| di.abs().max(dj.abs()) as f64 - 1.0).fold(5.0, f64::min)
                    }
                    _ => is_open([i, j]),
                })?;
            }
        }
        Ok(())
    })
}

/// The chances of a particle, by whole numbers of 32 bits.
fn chance(number: u32, luck: [u32; 2], which: u32) -> f64 {
    let stir = |x: u32| {
        let x = (x ^ (x >> 16)).wrapping_mul(0x7feb_352d);
        let x = (x ^ (x >> 15)).wrapping_mul(0x846c_a68b);
        x ^ (x >> 16)
    };
    let stirred = stir(stir(stir(luck[0]).wrapping_add(luck[1])).wrapping_add(number));
    f64::from(stir(stirred.wrapping_add(which)) >> 8) / f64::from(1 << 24)
}

#[test]
fn particles_are_born_where_their_chances_say() -> Result<()> {
    on_gpu(|gpu| {
        let (regions, size) = (Field::random([256, 1], &mut Random(10)), [23, 9]);
        let born = target(gpu, size, 4)?;
        let mut program =
            load(gpu, "sim/fluid_particles.frag", &[("START", 1), ("STAGGERED", 0), ("SOLIDS", 0)])?;
        program.bind_stream("births", &regions.buffer(gpu, 4)?)?.bind_float("luck", [12_345.0, 678.0])?;
        program.bind_float("width", 23.0)?.bind_float("oldest", 3.0)?.run(&born)?;
        check(&born, 3, "born", |[i, j], k| {
            let chance = |which| chance((j * 23 + i) as u32, [12_345, 678], which);
            let region = [(256.0 * chance(0)) as i64, 0];
            let [low, high] = [regions.at(region, k % 2), regions.at(region, 2 + k % 2)];
            if k == 2 { 3.0 * chance(3) } else { low + chance(1 + k as u32) * (high - low) }
        })?;
        let numbers = born.data()?;
        assert!(numbers.chunks(4).enumerate().all(|(n, particle)| particle[3] == n as f32));
        Ok(())
    })
}
