//! Flat flows: arrows, directions and streamlines.

use quadrille::pug::Prelude;
use quadrille::{Result, kernels};

use super::{Field, Pixel, Rounding, U, across, check, domain, untouched};
use crate::support::on_gpu;

const TARGET: [u32; 2] = [61, 37];

/// A flow of a grid and where its first u and v lie.
struct Flow {
    velocity: Field<2>,
    first_faces: [f64; 4],
}

impl Flow {
    fn new(seed: u64, first_faces: [f64; 4]) -> Flow {
        let mut velocity: Field<2> = Field::random([8, 6], seed, -1.0, 1.0);
        for (place, wild) in
            [(9, [f32::NAN, 0.1]), (20, [0.2, f32::INFINITY]), (28, [0.0; 2]), (29, [0.01, 0.02])]
        {
            velocity.texels[place] = wild;
        }
        Flow { velocity, first_faces }
    }
}

/// Along u, in the middle of a square of that side: a shaft, and a tip twice as long as it is wide, with a dark rim of a pixel.
fn arrow(flow: &Flow, rounding: &Rounding, place: [f64; 2], side: f64, pixel: f64, most: f64) -> Pixel<4> {
    let place = place.map(|x| rounding.of(x, 16.0 * U));
    let middle = place.map(|x| ((x / side).floor() + 0.5) * side);
    let [ux, uy, vx, vy] = flow.first_faces;
    let u = flow.velocity.at([middle[0] - ux + 0.5, middle[1] - uy + 0.5])[0];
    let v = flow.velocity.at([middle[0] - vx + 0.5, middle[1] - vy + 0.5])[1];
    let speed = u.hypot(v);
    if !speed.is_finite() || speed <= 0.03 * most {
        return Pixel::Untouched;
    }
    let reach = 0.45 * side * (speed / most).min(1.0);
    let off = [place[0] - middle[0], place[1] - middle[1]];
    let (ahead, aside) = ((off[0] * u + off[1] * v) / speed, (off[1] * u - off[0] * v).abs() / speed);
    let head = (0.3 * side).min(2.0 * reach);
    let from_tip = reach - ahead;
    let tip = (-from_tip).max(from_tip - head).max(aside - 0.4 * from_tip);
    let shaft = ((ahead + 0.5 * head).abs() - (reach - 0.5 * head)).max(aside - 0.7 * pixel);
    let beyond = tip.min(shaft) / pixel;
    if beyond > 1.0 {
        return Pixel::Untouched;
    }
    let white = 1.0 - (beyond + 0.5).clamp(0.0, 1.0);
    Pixel::Is([white, white, white, 1.0])
}

#[test]
fn arrows_lie_along_the_flow_and_are_as_long_as_it_is_fast() -> Result<()> {
    on_gpu(|gpu| {
        let (from, to) = ([0.0, 0.0], [7.0, 5.0]);
        let mut program = gpu.builtin("view/arrows.frag")?;
        for (seed, first_faces, side, pixel, most) in [
            (1, [0.0, 0.5, 0.5, 0.0], 1.3, 0.06, 0.9),
            (2, [0.0; 4], 1.3, 0.03, 2.0),
            (3, [0.5; 4], 0.9, 0.1, 0.5),
            (4, [0.0, 0.5, 0.5, 0.0], 2.1, 0.05, 9.0),
            (5, [0.0, 0.5, 0.5, 0.0], 0.9, 0.3, 0.9),
        ] {
            let mut flow = Flow::new(seed, first_faces);
            if seed == 5 {
                // About 3 % of the largest speed, below which there is no arrow.
                flow.velocity = Field::random([8, 6], seed, -0.03, 0.03);
            }
            program
                .bind_stream("velocity", &flow.velocity.buffer(gpu)?)?
                .bind_float("first_faces", first_faces.map(|x: f64| x as f32))?
                .bind_float("side", side as f32)?
                .bind_float("pixel", pixel as f32)?
                .bind_float("most", most as f32)?
                .bind_domain("place", domain(from, to))?;
            let target = untouched(gpu, TARGET)?;
            program.run(&target)?;
            check(&format!("flow {seed}"), &target.data()?, (1024.0 * U, 0.1), |rounding, i| {
                arrow(&flow, rounding, across(TARGET, from, to, i), side, pixel, most)
            });
        }
        Ok(())
    })
}

/// The number of a lattice between four elements: beyond it the outermost one, or the one that an axis begins anew with.
fn between(of: impl Fn([f64; 2]) -> f64, place: [f64; 2], counts: [f64; 2], periodic: [bool; 2]) -> f64 {
    let low = place.map(f64::floor);
    let element = |n: usize, at: f64| match periodic[n] {
        true => at.rem_euclid(counts[n]),
        false => at.clamp(0.0, counts[n] - 1.0),
    };
    let [west, east] = [0.0, 1.0].map(|hop| element(0, low[0] + hop));
    let [south, north] = [0.0, 1.0].map(|hop| element(1, low[1] + hop));
    let [x, y] = [place[0] - low[0], place[1] - low[1]];
    let below = of([west, south]) + x * (of([east, south]) - of([west, south]));
    let above = of([west, north]) + x * (of([east, north]) - of([west, north]));
    below + y * (above - below)
}

#[test]
fn a_direction_is_that_of_the_flow_in_texels_and_nothing_where_there_is_none() -> Result<()> {
    on_gpu(|gpu| {
        // No place lies on an element exactly: 0 of a NaN beside it is NaN.
        let (from, to) = ([0.0, 0.0], [6.97, 4.99]);
        let mut program = gpu.load(kernels::named("view/flow_direction.frag")?.with(Prelude::Fluid))?;
        for (seed, first_faces, counts, periodic) in [
            (5, [0.0, 0.5, 0.5, 0.0], [8.0, 5.0, 7.0, 6.0], [false, false]),
            (6, [0.0; 4], [8.0, 6.0, 8.0, 6.0], [false, false]),
            (7, [0.0, 0.5, 0.5, 0.0], [7.0, 5.0, 7.0, 6.0], [true, false]),
            (8, [0.0, 0.5, 0.5, 0.0], [7.0, 5.0, 7.0, 5.0], [true, true]),
        ] {
            let flow = Flow::new(seed, first_faces);
            let (texels, most) = ([1.5, 0.7], 0.8);
            program
                .bind_stream("velocity", &flow.velocity.buffer(gpu)?)?
                .bind_float("first_faces", first_faces.map(|x: f64| x as f32))?
                .bind_float("counts", counts.map(|x: f64| x as f32))?
                .bind_float("periodic", periodic.map(|again| f32::from(u8::from(again))))?
                .bind_float("texels", texels.map(|x: f64| x as f32))?
                .bind_float("most", most as f32)?
                .bind_domain("place", domain(from, to))?;
            let target = gpu.buffer(TARGET[0], TARGET[1]).components(3).build()?;
            program.run(&target)?;
            check(&format!("flow {seed}"), &target.data()?, (64.0 * U, 0.1), |rounding, i| {
                let place = across(TARGET, from, to, i).map(|x| rounding.of(x, 16.0 * U));
                let of = |n: usize| {
                    let first = [first_faces[2 * n], first_faces[2 * n + 1]];
                    let place = [place[0] - first[0], place[1] - first[1]];
                    let element = |at: [f64; 2]| flow.velocity.at(at)[n];
                    between(element, place, [counts[2 * n], counts[2 * n + 1]], periodic)
                };
                let [u, v] = [0, 1].map(|n| rounding.of(of(n), 8.0 * U));
                let speed = u.hypot(v);
                if !speed.is_finite() || speed < 1e-6 {
                    return Pixel::Is([0.0; 3]);
                }
                let [x, y] = [u * texels[0], v * texels[1]];
                Pixel::Is([x / x.hypot(y), y / x.hypot(y), (speed / most).min(1.0)])
            });
        }
        Ok(())
    })
}

#[test]
fn a_streamline_is_the_mean_of_the_picture_along_the_flow() -> Result<()> {
    on_gpu(|gpu| {
        let size = [23, 13];
        let picture: Field<1> = Field::random(size, 9, 0.0, 1.0);
        let mut direction: Field<3> = Field::random(size, 10, -0.9, 1.0);
        for (i, [.., speed]) in direction.texels.iter_mut().enumerate() {
            *speed = if i % 17 == 0 { 0.0 } else { speed.abs() };
        }
        let sides = size.map(f64::from);
        for (steps, periodic, contrast, slow) in [
            (1, [false, false], 1.0, 1e-6),
            (4, [true, false], 5.0, 0.5),
            (3, [false, true], 0.7, 0.9),
            (6, [true, true], 3.0, 0.2),
        ] {
            let mut program = gpu.load(kernels::named("view/streamlines.frag")?.define("STEPS", steps))?;
            let target = gpu.buffer(size[0], size[1]).build()?;
            program
                .bind_stream("picture", &picture.buffer(gpu)?)?
                .bind_stream("direction", &direction.buffer(gpu)?)?
                .bind_float("size", sides.map(|x| x as f32))?
                .bind_float("periodic", periodic.map(|again| f32::from(u8::from(again))))?
                .bind_float("contrast", contrast as f32)?
                .bind_float("slow", slow as f32)?
                .bind_domain("coords", target.rect())?
                .run(&target)?;
            check(&format!("{steps} steps"), &target.data()?, (64.0 * U, 0.1), |rounding, i| {
                let start = across(size, [0.0; 2], sides, i);
                let mut sum = picture.at(start)[0];
                for way in [1.0, -1.0] {
                    let mut place = start;
                    for _ in 0..steps {
                        let along = direction.at(place);
                        for n in 0..2 {
                            place[n] = rounding.of(place[n] + way * along[n], 32.0 * U);
                            if periodic[n] {
                                place[n] = place[n].rem_euclid(sides[n]);
                            }
                        }
                        sum += picture.at(place)[0];
                    }
                }
                let mean = sum / f64::from(2 * steps + 1);
                let speed = direction.at(start)[2];
                Pixel::Is([0.5 + contrast * (speed / slow).min(1.0) * (mean - 0.5)])
            });
        }
        Ok(())
    })
}
