//! Fluids in a flat box: which way is up, what colour a number gets, where solids and particles are.

use std::time::{Duration, Instant};

use quadrille::gl::{Format, Shape};
use quadrille::sim::fluid::scenes::{Name, Scene};
use quadrille::sim::fluid::{self, Grid, Kind};
use quadrille::view::{FlatFluid, FluidFields, Particles, Shade, Tint};
use quadrille::{Buffer, Gpu, Limits, Rect, Result};

use crate::support::{on_card, on_gpu, refusal};
use crate::{check_in_its_place, pixels};

/// Ten cells across and six up, a quarter each.
const SIZE: [f32; 2] = [2.5, 1.5];

/// Pixels of a picture: eleven along a cell, so that one is in its middle.
const PICTURE: (u32, u32) = (110, 66);

fn grids() -> impl Iterator<Item = Grid> {
    let grid = |kind, periodic| Grid { kind, cells: [10, 6], spacing: 0.25, periodic };
    let edges = [[false; 2], [true, false], [true; 2]];
    Kind::ALL.into_iter().flat_map(move |kind| edges.map(|periodic| grid(kind, periodic)))
}

/// Blue to red.
fn colours() -> [[u8; 3]; 256] {
    std::array::from_fn(|i| [i as u8, 0, 255 - i as u8])
}

/// The buffers of a fluid.
struct Numbers {
    velocity: Buffer,
    solids: Buffer,
    field: Buffer,
}

/// Velocity of a place, whether it is solid, and its four numbers. Places are lengths.
struct Of {
    velocity: fn([f32; 2]) -> [f32; 2],
    solid: fn([f32; 2]) -> bool,
    field: fn([f32; 2]) -> [f32; 4],
}

const STILL: Of = Of { velocity: |_| [0.0; 2], solid: |_| false, field: |_| [0.0; 4] };

impl Numbers {
    fn new(gpu: &Gpu, grid: Grid, of: &Of) -> Result<Numbers> {
        let places = |[width, height]: [u32; 2], [x, y]: [f32; 2]| {
            let at = move |i: u32, from: f32| (i as f32 + from) * grid.spacing;
            (0..height).flat_map(move |j| (0..width).map(move |i| [at(i, x), at(j, y)]))
        };
        let half = if grid.kind == Kind::Staggered { 0.5 } else { 0.0 };
        let us = places(grid.nodes(), [0.0, half]).map(|place| (of.velocity)(place)[0]);
        let vs = places(grid.nodes(), [half, 0.0]).map(|place| (of.velocity)(place)[1]);
        let mut velocity: Vec<f32> = us.zip(vs).flat_map(|(u, v)| [u, v]).collect();
        // The values where there is no face are read by none.
        let [width, height] = grid.nodes().map(|n| n as usize);
        for n in (0..width * height).filter(|_| grid.kind == Kind::Staggered) {
            let beyond =
                |axis: usize, place: usize| !grid.periodic[axis] && place == grid.cells[axis] as usize;
            if beyond(1, n / width) {
                velocity[2 * n] = f32::NAN;
            }
            if beyond(0, n % width) {
                velocity[2 * n + 1] = f32::NAN;
            }
        }
        let centres = || places(grid.centres(), grid.first_centre());
        let solids: Vec<f32> = centres().map(|place| f32::from(u8::from((of.solid)(place)))).collect();
        let field: Vec<f32> = centres().flat_map(of.field).collect();
        Ok(Numbers {
            velocity: grid.velocity(gpu).init(&velocity)?,
            solids: grid.scalar(gpu, 1).init(&solids)?,
            field: grid.scalar(gpu, 4).init(&field)?,
        })
    }

    fn basin<'a>(&'a self, grid: Grid, shade: Shade<'a>) -> FluidFields<'a> {
        FluidFields { grid, velocity: &self.velocity, solids: &self.solids, shade, particles: None }
    }
}

/// The pixel at a place of the box, counted from below.
fn at(picture: &[[u8; 4]], [x, y]: [f32; 2]) -> [u8; 3] {
    let (column, row) = (x / SIZE[0] * PICTURE.0 as f32, (1.0 - y / SIZE[1]) * PICTURE.1 as f32);
    let [r, g, b, a] = picture[row as usize * PICTURE.0 as usize + column as usize];
    assert_eq!(a, 255);
    [r, g, b]
}

#[test]
fn north_is_up_and_east_is_right_in_files_and_in_windows() -> Result<()> {
    on_gpu(|gpu| {
        let mut flat = FlatFluid::new(gpu, &colours())?;
        // Red in the north, green in the east.
        let field = |[x, y]: [f32; 2]| [f32::from(y > 0.8), f32::from(x > 1.3), 0.0, 0.0];
        for grid in grids() {
            let numbers = Numbers::new(gpu, grid, &Of { field, ..STILL })?;
            let basin = numbers.basin(grid, Shade::Dye(&numbers.field));
            let seen = pixels(&flat.picture(&basin, PICTURE)?);
            for (place, bright) in [
                ([0.6, 1.1], [true, false]),
                ([1.9, 1.1], [true, true]),
                ([0.6, 0.4], [false, false]),
                ([1.9, 0.4], [false, true]),
            ] {
                let [r, g, _] = at(&seen, place);
                assert_eq!([r > 150, g > 150], bright, "{place:?} of {grid:?}: {r} {g}");
            }
            check_in_its_place(gpu, &seen, PICTURE, |screen, place| flat.draw(&basin, Some(screen), place))?;
        }
        Ok(())
    })
}

/// Three units of dye are far brighter than the dark that shows through what is thin: less than a unit of 255 of it is left.
#[test]
fn dye_of_one_colour_is_as_bright_as_of_another() -> Result<()> {
    on_gpu(|gpu| {
        let mut flat = FlatFluid::new(gpu, &colours())?;
        let grid = Grid { kind: Kind::Staggered, cells: [10, 6], spacing: 0.25, periodic: [false; 2] };
        let fields: [fn([f32; 2]) -> [f32; 4]; 3] =
            [|_| [3.0, 0.0, 0.0, 0.0], |_| [0.0, 3.0, 0.0, 0.0], |_| [0.0, 0.0, 3.0, 0.0]];
        let mut seen = Vec::new();
        for (channel, field) in fields.into_iter().enumerate() {
            let numbers = Numbers::new(gpu, grid, &Of { field, ..STILL })?;
            let basin = numbers.basin(grid, Shade::Dye(&numbers.field));
            let mut colour = at(&pixels(&flat.picture(&basin, PICTURE)?), [1.3, 0.7]);
            colour.rotate_left(channel);
            seen.push(colour);
        }
        for colour in &seen {
            assert!(colour.iter().zip(seen[0]).all(|(&a, b)| a.abs_diff(b) <= 2), "{seen:?}");
        }
        Ok(())
    })
}

#[test]
fn a_scalar_has_the_colour_of_its_number_and_is_even_between_two() -> Result<()> {
    on_gpu(|gpu| {
        let mut flat = FlatFluid::new(gpu, &colours())?;
        let field = |[x, y]: [f32; 2]| [f32::NAN, 0.3 * x + 0.1 * y, f32::INFINITY, 0.0];
        for kind in Kind::ALL {
            let grid = Grid { kind, cells: [10, 6], spacing: 0.25, periodic: [false; 2] };
            let numbers = Numbers::new(gpu, grid, &Of { field, ..STILL })?;
            let shade = Shade::Scalar { field: &numbers.field, component: 1, ends: [0.0, 1.0] };
            let seen = pixels(&flat.picture(&numbers.basin(grid, shade), PICTURE)?);
            for (column, row) in
                (0..PICTURE.0).flat_map(|column| (0..PICTURE.1).map(move |row| (column, row)))
            {
                let (x, y) = ((column as f32 + 0.5) / 44.0, 1.5 - (row as f32 + 0.5) / 44.0);
                // Beyond the outermost centres there is what is there.
                let out = if kind == Kind::Staggered { 0.125 } else { 0.0 };
                let exact = 0.3 * x.clamp(out, 2.5 - out) + 0.1 * y.clamp(out, 1.5 - out);
                let [r, _, b, _] = seen[(row * PICTURE.0 + column) as usize];
                // The nearest of 256 colours, and a rounding of sRGB.
                assert!((f32::from(r) - 255.0 * exact).abs() < 2.0, "{r} at {x} {y} of {kind:?}");
                assert!(r.abs_diff(255 - b) <= 2, "{r} {b}");
            }
        }
        Ok(())
    })
}

#[test]
fn a_speed_is_that_of_both_components_where_they_lie() -> Result<()> {
    on_gpu(|gpu| {
        let mut flat = FlatFluid::new(gpu, &colours())?;
        let velocity = |[x, y]: [f32; 2]| [0.5 + y, x];
        for kind in Kind::ALL {
            let grid = Grid { kind, cells: [10, 6], spacing: 0.25, periodic: [false; 2] };
            let numbers = Numbers::new(gpu, grid, &Of { velocity, ..STILL })?;
            let seen = pixels(&flat.picture(&numbers.basin(grid, Shade::Speed(4.0)), PICTURE)?);
            // Beyond the outermost faces there is what is there.
            let out = if kind == Kind::Staggered { 0.125 } else { 0.0 };
            for place in
                [[0.3, 0.4], [1.25, 0.75], [2.3, 1.3], [2.2, 0.2], [2.49, 1.49], [0.01, 1.45], [2.45, 0.7]]
            {
                let u = velocity([place[0], place[1].clamp(out, 1.5 - out)])[0];
                let v = velocity([place[0].clamp(out, 2.5 - out), place[1]])[1];
                let [r, ..] = at(&seen, place);
                // A pixel is a 44th wide.
                assert!((f32::from(r) - 255.0 * u.hypot(v) / 4.0).abs() < 4.0, "{place:?} of {kind:?}: {r}");
            }
        }
        Ok(())
    })
}

/// Central differences of a checkerboard are 0: the flow out of a cell is not.
#[test]
fn a_divergence_is_that_of_cells_and_shows_a_checkerboard() -> Result<()> {
    on_gpu(|gpu| {
        let mut flat = FlatFluid::new(gpu, &colours())?;
        for grid in grids().filter(|grid| grid.periodic == [false; 2]) {
            let velocity = |[x, y]: [f32; 2]| [0.5 * x + y, 0.25 * y - x];
            let numbers = Numbers::new(gpu, grid, &Of { velocity, ..STILL })?;
            let seen = pixels(&flat.picture(&numbers.basin(grid, Shade::Divergence(1.0)), PICTURE)?);
            let expected = (0.5 + 0.5 * 0.75) * 255.0;
            assert!(seen.iter().all(|[r, ..]| (f32::from(*r) - expected).abs() < 2.0), "{grid:?}");
        }
        let grid = Grid { kind: Kind::Collocated, cells: [10, 6], spacing: 0.25, periodic: [false; 2] };
        let velocity = |[x, _]: [f32; 2]| [if (x * 4.0).round() as i32 % 2 == 0 { 0.1 } else { -0.1 }, 0.0];
        let numbers = Numbers::new(gpu, grid, &Of { velocity, ..STILL })?;
        let seen = pixels(&flat.picture(&numbers.basin(grid, Shade::Divergence(1.0)), PICTURE)?);
        let [west, east] = [at(&seen, [0.12, 0.7]), at(&seen, [0.37, 0.7])];
        // Plus and minus 0.8 in turn.
        assert!(
            (f32::from(west[0]) - 0.1 * 255.0).abs() < 2.0 && (f32::from(east[0]) - 0.9 * 255.0).abs() < 2.0
        );
        Ok(())
    })
}

#[test]
fn solids_are_grey_and_what_stands_in_them_is_not_seen_beside_them() -> Result<()> {
    on_gpu(|gpu| {
        let mut flat = FlatFluid::new(gpu, &colours())?;
        let solid = |[x, y]: [f32; 2]| x > 1.0 && x < 2.0 && y > 0.5 && y < 1.2;
        let field: fn([f32; 2]) -> [f32; 4] =
            |[x, y]| if x > 1.0 && x < 2.0 && y > 0.5 && y < 1.2 { [9.0; 4] } else { [0.5; 4] };
        for grid in grids() {
            let numbers = Numbers::new(gpu, grid, &Of { solid, field, ..STILL })?;
            let shade = Shade::Scalar { field: &numbers.field, component: 0, ends: [0.0, 1.0] };
            let seen = pixels(&flat.picture(&numbers.basin(grid, shade), PICTURE)?);
            let [r, g, b] = at(&seen, [1.5, 0.85]);
            assert!(b > r && r > 60 && g > 60 && b < 150, "slate: {r} {g} {b}");
            let open: Vec<_> = seen.iter().filter(|[r, g, b, _]| *g == 0 && r.abs_diff(*b) <= 3).collect();
            // All but about 4 x 3 cells of 60.
            assert!(open.len() > 44 * 121 && open.len() < 54 * 121, "{} of {grid:?}", open.len());
            assert!(seen.iter().all(|[r, g, ..]| *g > 0 || *r < 140), "9 is nowhere seen");
        }
        Ok(())
    })
}

fn particles(gpu: &Gpu, places: &[[f32; 2]]) -> Result<Buffer> {
    let numbered = places.iter().enumerate().flat_map(|(i, &[x, y])| [x, y, 0.0, i as f32]);
    gpu.array(places.len()).components(4).init(&numbered.collect::<Vec<_>>())
}

#[test]
fn every_particle_of_a_folded_array_is_where_it_is_and_those_outside_are_not() -> Result<()> {
    on_gpu(|gpu| {
        let mut flat = FlatFluid::new(gpu, &colours())?;
        flat.set_particle_colours(&[[255; 3]; 256])?;
        for grid in grids() {
            let numbers = Numbers::new(gpu, grid, &STILL)?;
            for count in [1, 2, 31, 173] {
                let middle = |i: usize| {
                    let (column, row) = (i * 7 % 110, i * 5 % 66);
                    [(column as f32 + 0.5) / 44.0, (row as f32 + 0.5) / 44.0]
                };
                let mut places: Vec<[f32; 2]> = (0..count).map(middle).collect();
                let corners = [[0.0, 0.0], [2.5, 0.0], [0.0, 1.5], [2.5, 1.5]];
                places.extend(corners);
                let seen_at: Vec<[f32; 2]> =
                    places.iter().map(|&[x, y]| [x.clamp(0.01, 2.49), y.clamp(0.01, 1.49)]).collect();
                places.extend([
                    [-0.01, 0.5],
                    [2.51, 0.5],
                    [1.0, 1.51],
                    [f32::NAN, 0.5],
                    [0.5, f32::INFINITY],
                ]);
                let positions = particles(gpu, &places)?;
                for tint in [Tint::Number, Tint::Speed(1.0)] {
                    let lit = Some(Particles { positions: &positions, past: &[], tint });
                    let basin = FluidFields { particles: lit, ..numbers.basin(grid, Shade::Dark) };
                    let seen = pixels(&flat.picture(&basin, PICTURE)?);
                    let dark = |[r, g, b]: [u8; 3]| r < 30 && g < 30 && b < 30;
                    assert!(seen_at.iter().all(|&place| !dark(at(&seen, place))), "{count} of {grid:?}");
                    let lit = seen.iter().filter(|&&[r, g, b, _]| !dark([r, g, b])).count();
                    // Up to two pixels a side.
                    assert!(lit >= (count + 4) / 2 && lit <= 4 * (count + 4), "{lit} for {count}");
                    check_in_its_place(gpu, &seen, PICTURE, |screen, place| {
                        flat.draw(&basin, Some(screen), place)
                    })?;
                }
            }
        }
        Ok(())
    })
}

/// With few particles, each is two pixels wide: one a third of a pixel outside would show if only its middle were looked at.
#[test]
fn a_particle_a_third_of_a_pixel_outside_of_any_side_is_not_seen() -> Result<()> {
    on_gpu(|gpu| {
        let mut flat = FlatFluid::new(gpu, &colours())?;
        flat.set_particle_colours(&[[255; 3]; 256])?;
        let grid = Grid { kind: Kind::Staggered, cells: [10, 6], spacing: 0.25, periodic: [false; 2] };
        let numbers = Numbers::new(gpu, grid, &STILL)?;
        let mut look = |place: [f32; 2]| {
            let positions = particles(gpu, &[place])?;
            let lit = Some(Particles { positions: &positions, past: &[], tint: Tint::Number });
            flat.picture(&FluidFields { particles: lit, ..numbers.basin(grid, Shade::Dark) }, PICTURE)
        };
        let (far, third) = (look([9.0, 9.0])?, 1.0 / 132.0);
        for (side, (inside, outside)) in
            [([third, 0.7], [-third, 0.7]), ([2.5 - third, 0.7], [2.5 + third, 0.7])].into_iter().enumerate()
        {
            assert!(look(inside)? != far && look(outside)? == far, "side {side} across");
        }
        for (side, (inside, outside)) in
            [([1.3, third], [1.3, -third]), ([1.3, 1.5 - third], [1.3, 1.5 + third])].into_iter().enumerate()
        {
            assert!(look(inside)? != far && look(outside)? == far, "side {side} upwards");
        }
        Ok(())
    })
}

#[test]
fn particles_have_the_colour_of_their_speed_or_of_their_number_and_many_are_brighter() -> Result<()> {
    on_gpu(|gpu| {
        let mut flat = FlatFluid::new(gpu, &colours())?;
        flat.set_particle_colours(&colours())?;
        let velocity = |[x, _]: [f32; 2]| [0.8 * x, 0.0];
        for grid in grids().filter(|grid| grid.periodic == [false; 2]) {
            let numbers = Numbers::new(gpu, grid, &Of { velocity, ..STILL })?;
            // In the last half of a cell, too.
            let places = [[0.1, 1.0], [0.1, 0.3], [2.45, 1.45], [2.4, 0.3]];
            let positions = particles(gpu, &places)?;
            for (tint, red) in
                [(Tint::Speed(2.0), [false, false, true, true]), (Tint::Number, [false, false, false, true])]
            {
                let lit = Some(Particles { positions: &positions, past: &[], tint });
                let basin = FluidFields { particles: lit, ..numbers.basin(grid, Shade::Dark) };
                let seen = pixels(&flat.picture(&basin, PICTURE)?);
                for (place, red) in places.into_iter().zip(red) {
                    let [r, _, b] = at(&seen, place);
                    assert_eq!(r > b, red, "{place:?} by {tint:?}: {r} {b}");
                }
            }
            // Between the nodes at 1.0 and 1.25, of which the first rests, nearer to the second; between sides the first is its own.
            let velocity = |[x, _]: [f32; 2]| [if x > 1.1 { 2.0 } else { 0.0 }, 0.0];
            let stepped = Numbers::new(gpu, grid, &Of { velocity, ..STILL })?;
            let positions = particles(gpu, &[[1.15, 0.7]])?;
            let lit = Some(Particles { positions: &positions, past: &[], tint: Tint::Speed(2.0) });
            let basin = FluidFields { particles: lit, ..stepped.basin(grid, Shade::Dark) };
            let [r, _, b] = at(&pixels(&flat.picture(&basin, PICTURE)?), [1.15, 0.7]);
            assert_eq!(r > b, grid.kind == Kind::Collocated, "{r} {b} of {grid:?}");
            let mut last = 0;
            for count in [1, 4, 40] {
                let positions = particles(gpu, &vec![[1.3, 0.7]; count])?;
                let lit = Some(Particles { positions: &positions, past: &[], tint: Tint::Speed(2.0) });
                let basin = FluidFields { particles: lit, ..numbers.basin(grid, Shade::Dark) };
                let [r, _, b] = at(&pixels(&flat.picture(&basin, PICTURE)?), [1.3, 0.7]);
                let sum = u32::from(r) + u32::from(b);
                assert!(sum > last, "{count}: {r} {b}");
                last = sum;
            }
        }
        Ok(())
    })
}

/// Older moments are fainter, and a pass each.
#[test]
fn particles_leave_a_trail_that_fades() -> Result<()> {
    on_gpu(|gpu| {
        let mut flat = FlatFluid::new(gpu, &colours())?;
        flat.set_particle_colours(&[[255; 3]; 256])?;
        let grid = Grid { kind: Kind::Staggered, cells: [10, 6], spacing: 0.25, periodic: [false; 2] };
        let numbers = Numbers::new(gpu, grid, &STILL)?;
        let places = [[2.0, 0.7], [1.4, 0.7], [0.8, 0.7], [0.2, 0.7]];
        let moments: Vec<Buffer> =
            places.iter().map(|&place| particles(gpu, &[place])).collect::<Result<_>>()?;
        let lit = Some(Particles { positions: &moments[0], past: &moments[1..], tint: Tint::Number });
        let basin = FluidFields { particles: lit, ..numbers.basin(grid, Shade::Dark) };
        let before = gpu.counters().passes;
        let seen = pixels(&flat.picture(&basin, PICTURE)?);
        assert_eq!(gpu.counters().passes - before, 5);
        let light = places.map(|place| at(&seen, place)[1]);
        assert!(light.windows(2).all(|pair| pair[0] > pair[1]) && light[3] > 30, "{light:?}");
        let two = [particles(gpu, &[[1.0, 1.0]; 2])?];
        let lit = Some(Particles { positions: &moments[0], past: &two, tint: Tint::Number });
        let refused = flat.picture(&FluidFields { particles: lit, ..basin }, PICTURE);
        assert!(matches!(refused, Err(quadrille::Error::WrongShape { .. })), "{refused:?}");
        Ok(())
    })
}

#[test]
fn a_picture_is_one_pass_and_two_with_particles() -> Result<()> {
    on_gpu(|gpu| {
        let mut flat = FlatFluid::new(gpu, &colours())?;
        let grid = Grid { kind: Kind::Staggered, cells: [10, 6], spacing: 0.25, periodic: [false; 2] };
        let numbers = Numbers::new(gpu, grid, &STILL)?;
        let positions = particles(gpu, &[[1.0, 1.0]; 9])?;
        let lit = Some(Particles { positions: &positions, past: &[], tint: Tint::Number });
        for (particles, passes) in [(None, 1), (lit, 2)] {
            let basin = FluidFields { particles, ..numbers.basin(grid, Shade::Dye(&numbers.field)) };
            flat.picture(&basin, PICTURE)?;
            let before = gpu.counters().passes;
            flat.picture(&basin, PICTURE)?;
            assert_eq!(gpu.counters().passes - before, passes);
        }
        Ok(())
    })
}

#[test]
fn what_is_not_of_the_grid_or_has_no_sense_is_refused() -> Result<()> {
    on_gpu(|gpu| {
        let mut flat = FlatFluid::new(gpu, &colours())?;
        let grid = Grid { kind: Kind::Staggered, cells: [10, 6], spacing: 0.25, periodic: [false; 2] };
        let numbers = Numbers::new(gpu, grid, &STILL)?;
        let other = gpu.buffer(6, 10).components(4).build()?;
        let good = numbers.basin(grid, Shade::Dye(&numbers.field));
        let positions = gpu.array(5).components(3).build()?;
        let lit = Some(Particles { positions: &positions, past: &[], tint: Tint::Number });
        for (basin, words) in [
            (FluidFields { shade: Shade::Dye(&other), ..good }, "expected 10x6 texels"),
            (FluidFields { velocity: &other, ..good }, "expected 11x7 texels"),
            (FluidFields { solids: &other, ..good }, "expected 10x6 texels"),
            (FluidFields { shade: Shade::Speed(0.0), ..good }, "two different finite ends"),
            (FluidFields { shade: Shade::Divergence(f32::NAN), ..good }, "two different finite ends"),
            (FluidFields { particles: lit, ..good }, "x, y, age, number"),
        ] {
            let line = refusal(flat.picture(&basin, PICTURE));
            assert!(line.contains(words), "{line}");
        }
        Ok(())
    })
}

#[test]
fn a_card_of_2002_draws_dye_and_says_that_it_cannot_draw_particles() -> Result<()> {
    on_card(Limits::RADEON_9700, |gpu| {
        let mut flat = FlatFluid::new(gpu, &colours())?;
        let grid = Grid { kind: Kind::Staggered, cells: [10, 6], spacing: 0.25, periodic: [false; 2] };
        let numbers = Numbers::new(gpu, grid, &STILL)?;
        let good = numbers.basin(grid, Shade::Dye(&numbers.field));
        flat.picture(&good, PICTURE)?;
        for shade in [Shade::Speed(1.0), Shade::Divergence(1.0)] {
            flat.picture(&numbers.basin(grid, shade), PICTURE)?;
        }
        let positions = particles(gpu, &[[1.0, 1.0]])?;
        let lit = Some(Particles { positions: &positions, past: &[], tint: Tint::Number });
        let line = refusal(flat.picture(&FluidFields { particles: lit, ..good }, PICTURE));
        assert!(line.contains("number of streams of the vertex kernel"), "{line}");
        Ok(())
    })
}

/// Does what a window does in a frame, without its panel: a step with two V(4, 2)-cycles, a million particles along it, a picture.
#[test]
#[ignore = "measures a GPU: with --nocapture it tells milliseconds a frame"]
fn a_million_particles_in_a_fluid_of_512_are_drawn_sixty_times_a_second() -> Result<()> {
    const FRAMES: u32 = 300;
    on_gpu(|gpu| {
        let scene = Scene::new(Name::Vortices, Kind::Staggered, [512, 512])?;
        let mut vortices = scene.fluid(gpu)?;
        let mut swarm = fluid::Particles::new(gpu, vortices.grid(), 1_000_000, 1)?;
        let mut flat = FlatFluid::new(gpu, &colours())?;
        let screen = gpu.context().texture(Shape { width: 1024, height: 1024, format: Format::Rgba8 })?;
        let place = Rect::whole(1024, 1024);
        let mut frame = || -> Result<()> {
            scene.step(&mut vortices)?;
            swarm.advance_among(vortices.velocity(), vortices.open(), scene.parameters.time_step)?;
            let particles =
                Some(Particles { positions: swarm.positions(), past: &[], tint: Tint::Speed(1.0) });
            let (velocity, solids) = (vortices.velocity(), vortices.solids());
            let shade = Shade::Dye(vortices.dye());
            let basin = FluidFields { grid: vortices.grid(), velocity, solids, shade, particles };
            flat.draw(&basin, Some(screen.framebuffer()), place)
        };
        // The first ones compile.
        (0..20).try_for_each(|_| frame())?;
        gpu.finish();
        let (begin, reads) = (Instant::now(), gpu.counters().read_backs);
        (0..FRAMES).try_for_each(|_| frame())?;
        gpu.finish();
        let each = begin.elapsed() / FRAMES;
        println!("{:.2} ms a frame on {}", 1e3 * each.as_secs_f64(), gpu.driver().renderer);
        assert_eq!(gpu.counters().read_backs, reads, "nothing is read back");
        assert!(each < Duration::from_secs(1) / 60, "{each:?}");
        Ok(())
    })
}

/// A box of more cells than pixels has no solid where there is none.
#[test]
fn a_picture_smaller_than_its_grid_is_as_dark_as_a_large_one() -> Result<()> {
    on_gpu(|gpu| {
        let mut flat = FlatFluid::new(gpu, &colours())?;
        for grid in grids() {
            let numbers = Numbers::new(gpu, grid, &STILL)?;
            let basin = numbers.basin(grid, Shade::Dye(&numbers.field));
            let (large, small) =
                (pixels(&flat.picture(&basin, PICTURE)?), pixels(&flat.picture(&basin, (5, 3))?));
            assert!(small.iter().all(|pixel| *pixel == large[0]), "{:?} beside {:?}", small[0], large[0]);
        }
        Ok(())
    })
}
