//! The kernels of water and smoke, each against its formula in f64.

use quadrille::numeric::Random;
use quadrille::pug::Prelude;
use quadrille::{Result, kernels};

use super::super::support::on_gpu;
use super::U;

/// Texels of a field, four numbers each.
const SIZE: [usize; 2] = [9, 4];

fn field(random: &mut Random, most: f32) -> Vec<f32> {
    (0..4 * SIZE[0] * SIZE[1]).map(|_| most * random.signed()).collect()
}

/// Distances up to 1.5, and of a third of the voxels each that they are solid, air and fluid. Shifts are whole parts of 2.
#[test]
fn parts_of_voxels_their_skin_and_its_shift_are_those_of_the_formulas() -> Result<()> {
    on_gpu(|gpu| {
        let random = &mut Random(4);
        let distance = field(random, 1.5);
        let kinds: Vec<f32> = distance.iter().map(|_| random.below(3) as f32).collect();
        let buffer = || gpu.buffer(SIZE[0] as u32, SIZE[1] as u32).components(4);
        let (phi, cells) = (buffer().init(&distance)?, buffer().init(&kinds)?);
        let (part, skin) = (buffer().build()?, buffer().build()?);
        let mut fill = gpu.builtin("sim/liquid_fill.frag")?;
        fill.bind_stream("phi", &phi)?.bind_stream("cells", &cells)?;
        fill.onto(&[&part, &skin]).run()?;
        let open = |n: usize| if kinds[n] > 0.5 { 1.0 } else { 0.0 };
        for (n, (part, skin)) in part.data()?.into_iter().zip(skin.data()?).enumerate() {
            let inside = open(n) * (0.5 - f64::from(distance[n])).clamp(0.0, 1.0);
            assert!((f64::from(part) - inside).abs() <= U, "{}: {part}, {inside}", distance[n]);
            let crossed = if distance[n].abs() <= 0.5 { open(n) } else { 0.0 };
            assert_eq!(f64::from(skin), crossed, "{}", distance[n]);
        }
        // The amount now, the amount before, and how much a shift of one changes.
        for [volume, kept, skin] in
            [[10.5, 10.0, 4.0], [10.125, 10.0, 0.0], [10.0, 10.0, 0.0], [9.0, 10.0, 2.0]]
        {
            let shifted = buffer().build()?;
            let scalar = |value: f32| gpu.buffer(1, 1).init(&[value]);
            let mut program = gpu.builtin("sim/liquid_shift.frag")?;
            program.bind_stream("phi", &phi)?.bind_stream("cells", &cells)?;
            program.bind_stream("volume", &scalar(volume)?)?.bind_stream("skin", &scalar(skin)?)?;
            program.bind_float("kept", kept)?.bind_float("most", 0.25)?.run(&shifted)?;
            let shift = f64::from((volume - kept) / skin.max(1.0)).clamp(-0.25, 0.25);
            for (n, found) in shifted.data()?.into_iter().enumerate() {
                let expected = f64::from(distance[n]) + shift * open(n);
                assert!(
                    (f64::from(found) - expected).abs() <= 2.0 * U,
                    "{volume} {skin}: {found}, {expected}"
                );
            }
        }
        Ok(())
    })
}

/// The longest step in which the fastest of three, and what gravity adds to it, cross 7 voxels of 1/8 m.
#[test]
fn a_step_is_as_long_as_the_fastest_and_gravity_let_it_be() -> Result<()> {
    on_gpu(|gpu| {
        let scalar = |value: f32| gpu.buffer(1, 1).init(&[value]);
        for ([u, v, w], acceleration, longest) in [
            ([3.0, 1.5, 0.25], 2.0, 1.0),
            ([0.25, 3.0, 1.5], 2.0, 1.0),
            ([1.5, 0.25, 3.0], 2.0, 0.125),
            ([0.0, 0.0, 0.5], 0.0, 2.0),
            ([0.0; 3], 2.0, 2.0),
            ([0.0; 3], 0.0, 0.5),
        ] {
            let time_step = gpu.buffer(1, 1).build()?;
            let mut program = gpu.builtin("sim/liquid_time_step.frag")?;
            program
                .bind_stream("u", &scalar(u)?)?
                .bind_stream("v", &scalar(v)?)?
                .bind_stream("w", &scalar(w)?)?;
            program.bind_float("voxels_a_metre", 8.0)?.bind_float("across", 7.0)?;
            program
                .bind_float("acceleration", acceleration)?
                .bind_float("longest", longest)?
                .run(&time_step)?;
            let fastest = f64::from(u.max(v).max(w));
            let speed = 8.0 * fastest + (8.0 * f64::from(acceleration)).sqrt();
            let (found, expected) = (f64::from(time_step.data()?[0]), (7.0 / speed).min(f64::from(longest)));
            assert!(
                (found - expected).abs() <= 8.0 * U * expected,
                "{u} {v} {w} {acceleration}: {found}, {expected}"
            );
        }
        Ok(())
    })
}

/// Slices of 3 x 2 texels, three beside each other: the one below lies to the left, or at the other end a row of slices before.
/// Seven roundings of numbers up to 2.
#[test]
fn warm_smoke_is_lifted_and_dense_smoke_pulled_down() -> Result<()> {
    on_gpu(|gpu| {
        let random = &mut Random(5);
        let [w, warmth, density] = [0; 3].map(|_| field(random, 1.0));
        let buffer = || gpu.buffer(SIZE[0] as u32, SIZE[1] as u32).components(4);
        let (pushed, time_step) = (buffer().build()?, gpu.buffer(1, 1).init(&[0.5])?);
        let mut program =
            gpu.load(kernels::named("sim/liquid_force.frag")?.with(Prelude::Voxels).define("BUOYANT", 1))?;
        program.bind_stream("w", &buffer().init(&w)?)?.bind_stream("warmth", &buffer().init(&warmth)?)?;
        program.bind_stream("density", &buffer().init(&density)?)?.bind_stream("time_step", &time_step)?;
        program.bind_float("hop", [3.0 / SIZE[0] as f32, 2.0 / SIZE[1] as f32])?;
        program.bind_float("lift_weight", [1.5, 0.75])?.run(&pushed)?;
        for (n, found) in pushed.data()?.into_iter().enumerate() {
            let (x, y, k) = (n / 4 % SIZE[0], n / 4 / SIZE[0], n % 4);
            let (left, up) = if x < 3 { (x + SIZE[0] - 3, (y + SIZE[1] - 2) % SIZE[1]) } else { (x - 3, y) };
            let both = |field: &[f32]| f64::from(field[n]) + f64::from(field[4 * (up * SIZE[0] + left) + k]);
            let expected = f64::from(w[n]) + 0.5 * 0.5 * (1.5 * both(&warmth) - 0.75 * both(&density));
            assert!((f64::from(found) - expected).abs() <= 14.0 * U, "{x}, {y}, {k}: {found}, {expected}");
        }
        Ok(())
    })
}
