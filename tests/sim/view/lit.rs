//! Results of branches with their light: orbits with fractions and slopes, tiles among waves; and the sky that faces leave to a ground.

use quadrille::{Result, kernels};

use super::{Field, Pixel, Rounding, U, check, mix, smoothstep};
use crate::support::on_gpu;

const TARGET: [u32; 2] = [31, 23];

const TRIPS: u32 = 40;

fn times([a, b]: [f64; 2], [c, d]: [f64; 2]) -> [f64; 2] {
    [a * c - b * d, a * d + b * c]
}

/// The trips of an orbit until |z| > 2.
fn count(c: [f64; 2]) -> f64 {
    let (mut z, mut count) = ([0.0; 2], 0.0);
    for _ in 0..TRIPS {
        if z[0] * z[0] + z[1] * z[1] > 4.0 {
            break;
        }
        let [x, y] = times(z, z);
        z = [x + c[0], y + c[1]];
        count += 1.0;
    }
    count
}

/// Trips with their fraction, light, and 1, or nothing.
fn seen(c: [f64; 2], pitch: f64) -> [f64; 3] {
    let (mut z, mut slope) = ([0.0; 2], [0.0; 2]);
    for trip in 0..TRIPS + 4 {
        let [u, v] = times(z, slope);
        slope = [2.0 * u + 1.0, 2.0 * v];
        let [x, y] = times(z, z);
        z = [x + c[0], y + c[1]];
        let far = z[0].hypot(z[1]);
        if far > 256.0 {
            let steep = slope[0].hypot(slope[1]);
            let distance = far * far.ln() / (steep * pitch);
            let [x, y] = times(z, [slope[0], -slope[1]]).map(|part| part / (far * steep));
            let lit = -0.64 * x - 0.77 * y;
            let lit = 1.0 + smoothstep(0.3, 3.0, distance) * lit * if lit > 0.0 { 0.06 } else { 0.55 };
            return [(f64::from(trip) - 2.0 - (far.ln() / 256f64.ln()).log2()).max(1.0), lit, 1.0];
        }
    }
    [0.0; 3]
}

#[test]
fn orbits_have_fractions_and_the_light_of_a_slope() -> Result<()> {
    on_gpu(|gpu| {
        for (origin, pitch) in [([-2.25f32, -1.25], 0.11f32), ([-0.8, 0.05], 0.004)] {
            let c = |at: [f64; 2]| [0, 1].map(|n| f64::from(origin[n]) + f64::from(pitch) * at[n]);
            let counts = Field::new(TARGET, |x, y| [count(c([f64::from(x), f64::from(y)])) as f32]);
            let mut program = gpu.load(kernels::named("view/orbits_light.frag")?.define("TRIPS", TRIPS))?;
            let target = gpu.buffer(TARGET[0], TARGET[1]).components(4).build()?;
            program
                .bind_stream("counts", &counts.buffer(gpu)?)?
                .bind_float("origin", origin)?
                .bind_float("pitch", pitch)?
                .run(&target)?;
            // Logarithms of f32 and the fraction of a number up to 40; orbits that stay near the set for long go astray.
            check(&format!("{origin:?}"), &target.data()?, (2e-5, 0.15), |rounding: &Rounding, i| {
                let at = [i as u32 % TARGET[0], i as u32 / TARGET[0]].map(f64::from);
                let of = |x: f64, y: f64| counts.at([at[0] + x + 0.5, at[1] + y + 0.5])[0];
                let here = of(0.0, 0.0);
                let around = [[-1.0, 0.0], [1.0, 0.0], [0.0, -1.0], [0.0, 1.0]];
                let off = around.map(|[x, y]| (of(x, y) - here).abs()).into_iter().fold(0.0, f64::max);
                if off == 0.0 && here >= f64::from(TRIPS) {
                    return Pixel::Is([f64::from(TRIPS), 0.0, 0.0, 0.0]);
                }
                let at_place = |x: f64, y: f64| {
                    let place = c([at[0] + x, at[1] + y]).map(|part| rounding.of(part, 4.0 * U));
                    seen(place, f64::from(pitch))
                };
                // Four places on a turned square, half a texel apart.
                let places = [[-0.125, -0.375], [0.375, -0.125], [-0.375, 0.125], [0.125, 0.375]];
                let all: Vec<[f64; 3]> = if off > 1.5 {
                    places.iter().map(|&[x, y]| at_place(x, y)).collect()
                } else {
                    vec![at_place(0.0, 0.0)]
                };
                let sum = |n: usize| all.iter().map(|seen| seen[n]).sum::<f64>();
                let number = if sum(2) > 0.0 { sum(0) / sum(2) } else { f64::from(TRIPS) };
                Pixel::Is([number, sum(1) / all.len() as f64, 0.0, 0.0])
            });
        }
        Ok(())
    })
}

#[test]
fn orbits_that_nobody_has_counted_yet_are_as_light_as_level_ground() -> Result<()> {
    on_gpu(|gpu| {
        // In the middle of the set, and far outside it.
        for origin in [[-0.2f32, -0.1], [1.5, 1.0]] {
            let counts = gpu.buffer(4, 3).init(&[0.0; 12])?;
            let mut program = gpu.load(kernels::named("view/orbits_light.frag")?.define("TRIPS", TRIPS))?;
            let target = gpu.buffer(4, 3).components(4).build()?;
            program
                .bind_stream("counts", &counts)?
                .bind_float("origin", origin)?
                .bind_float("pitch", 0.01f32)?
                .run(&target)?;
            assert_eq!(target.data()?, [0.0, 1.0, 0.0, 0.0].repeat(12), "{origin:?}");
        }
        Ok(())
    })
}

#[test]
fn heavy_squares_are_stones_and_the_waves_between_them_are_lit() -> Result<()> {
    on_gpu(|gpu| {
        let (results, values) =
            (Field::<1>::random(TARGET, 3, -2.0, 2.0), Field::<1>::random(TARGET, 4, -0.1, 0.1));
        let steepness = 1.7f32;
        for side in [2, 7, 12] {
            let mut program = gpu.builtin("view/squares_light.frag")?;
            let target = gpu.buffer(TARGET[0], TARGET[1]).components(4).build()?;
            program
                .bind_stream("results", &results.buffer(gpu)?)?
                .bind_stream("values", &values.buffer(gpu)?)?
                .bind_float("squares", 1.0 / side as f32)?
                .bind_float("steepness", steepness)?
                .run(&target)?;
            let side = f64::from(side);
            check(&format!("{side}"), &target.data()?, (1e-5, 0.0), |_: &Rounding, i| {
                let at = [i as u32 % TARGET[0], i as u32 / TARGET[0]].map(|n| f64::from(n) + 0.5);
                let square = at.map(|x| (x / side).floor());
                let inside = [0, 1].map(|n| at[n] - square[n] * side);
                let first = inside[0].min(inside[1]);
                // How far within the rim of a stone, whose corners are round.
                let (half, corner) = (0.5 * side, 0.15 * side);
                let middle = inside.map(|x| x - half);
                let rim = middle.map(|x| x.abs() - half + 1.0 + corner);
                let outside = rim[0].max(0.0).hypot(rim[1].max(0.0));
                let within = corner - outside - rim[0].max(rim[1]).min(0.0);
                let is_heavy = (square[0] + square[1]) % 2.0 == 1.0;
                let of = |x: f64, y: f64| values.at([at[0] + x, at[1] + y])[0];
                let light = if side < 1.0 / 0.3 {
                    1.0
                } else if is_heavy && within > 0.0 {
                    let top = 0.10 * (2.0 * within / side).min(1.0) - 0.09 * (inside[0] + inside[1]) / side;
                    let round = 1.0 - (12.0 * within / side).min(1.0);
                    1.0 + top - round * 0.5 * (middle[0] + middle[1]) / side
                } else {
                    let slope = [of(1.0, 0.0) - of(-1.0, 0.0), of(0.0, 1.0) - of(0.0, -1.0)];
                    let lit = 0.95 + f64::from(steepness) * (0.6 * slope[0] + 0.8 * slope[1]);
                    let shadow = smoothstep(0.0, (0.3 * side).clamp(1.0, 9.0), first);
                    lit.clamp(0.6, 1.2) * if is_heavy { 0.5 } else { mix(0.55, 1.0, shadow) }
                };
                Pixel::Is([results.at(at)[0], light, 0.0, 0.0])
            });
        }
        Ok(())
    })
}

#[test]
fn the_ground_sees_the_sky_that_faces_above_it_leave() -> Result<()> {
    const SIDE: u32 = 9;
    on_gpu(|gpu| {
        let height = -0.5f32;
        // Faces over a third of the plan, nothing over the rest.
        let plan = Field::new([SIDE; 2], |x, y| {
            [if (x + 2 * y) % 3 == 0 { 0.2 * x as f32 - 0.5 } else { f32::MAX }]
        });
        let mut program = gpu.load(kernels::named("view/faces_open.frag")?.define("SIDE", SIDE))?;
        let target = gpu.buffer(SIDE, SIDE).components(1).build()?;
        program.bind_stream("plan", &plan.buffer(gpu)?)?.bind_float("height", height)?.run(&target)?;
        // Eighty-one shares of which each is off by a few units in its last place.
        check("plan", &target.data()?, (1e-5, 0.0), |_: &Rounding, i| {
            let side = 2.0 / f64::from(SIDE);
            let at = [i as u32 % SIDE, i as u32 / SIDE].map(f64::from);
            let mut hidden = 0.0;
            for (n, &[lowest]) in plan.texels.iter().enumerate().filter(|(_, texel)| texel[0] < 2.0) {
                let away = [n as u32 % SIDE, n as u32 / SIDE].map(f64::from);
                let up = (f64::from(lowest) - f64::from(height)).max(0.6 * side);
                let far = up * up + side * side * ((away[0] - at[0]).powi(2) + (away[1] - at[1]).powi(2));
                hidden += up * up * side * side / (std::f64::consts::PI * far * far);
            }
            Pixel::Is([1.0 - f64::min(hidden, 1.0)])
        });
        Ok(())
    })
}
