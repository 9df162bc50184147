//! The kernels of clouds, each against its loop in f64.

use quadrille::pug::{Prelude, Program};
use quadrille::sim::clouds::physics::{exner, saturation};
use quadrille::sim::clouds::{Air, Clouds, Parameters, Parcel, Setting};
use quadrille::{Gpu, Result, kernels};
use quadrille_oracle::clouds::{Cells, buoyancy, settled};

use crate::support::{Random, SIZES, on_gpu};

fn load(gpu: &Gpu, name: &str) -> Result<Program> {
    gpu.load(kernels::named(name)?.with(Prelude::Fluid))
}

const U: f64 = 1.0 / (1u64 << 24) as f64;

/// Air around saturation: clear, cloudy and neither, with warmth of −10 to 10 K.
fn air(cells: usize, random: &mut Random) -> Vec<f32> {
    let cell = |random: &mut Random| {
        let cloud = (random.unit() - 0.5).max(0.0) * 0.01;
        [10.0 * random.signed(), 0.02 * random.unit(), cloud, 0.0]
    };
    (0..cells).flat_map(|_| cell(random)).collect()
}

/// Pressures of rows, (Π, p, Celsius of the ground's θ).
fn column(air: &Air, rows: u32) -> (Vec<f32>, Vec<f64>) {
    let pressures: Vec<f64> = (0..rows).map(|j| air.pressure_at(30.0 * f64::from(j))).collect();
    let row = |&p: &f64| [exner(p), p, exner(p) * air.at(0.0).theta - 273.15, 0.0].map(|v| v as f32);
    (pressures.iter().flat_map(row).collect(), pressures)
}

/// (θ less that of the ground, q_v) of rows at rest, 40 m high, as the GPU has them.
fn at_rest(air: &Air, rows: u32) -> Vec<f32> {
    let theta = air.at(0.0).theta;
    let row = |j: u32| air.at(40.0 * f64::from(j));
    (0..rows).flat_map(|j| [row(j).theta - theta, row(j).vapour].map(|v| v as f32)).collect()
}

/// K Δt/h² and Δt/τ.
const MIXING: f32 = 0.2;
const RENEWAL: f32 = 0.125;

/// Air after mixing and renewal, of planes of θ, q_v and q_c.
fn mixed(cells: &Cells, air: &[f32], rest: &[f32]) -> [Vec<f64>; 3] {
    let width = cells.size[0];
    [0, 1, 2].map(|k| {
        let calm = |n: usize| if k < 2 { f64::from(rest[2 * (n / width) + k]) } else { 0.0 };
        let now: Vec<f64> = air.chunks(4).map(|cell| cell[k].into()).collect();
        let deviation: Vec<f64> = now.iter().enumerate().map(|(n, q)| q - calm(n)).collect();
        let change = cells.mixing(&deviation, MIXING.into(), (k > 0).then_some(&now[..]));
        let sum = |n: usize| now[n] + change[n];
        (0..now.len()).map(|n| sum(n) + f64::from(RENEWAL) * (calm(n) - sum(n))).collect()
    })
}

/// Mixing adds up five numbers of 25 K and of 0.02 kg/kg, of which each rounding is half of U. T is off by four roundings of 100 °C, 10⁻⁵ K or
/// less, and q_vs with it by 10⁻⁶ of itself; exp() may be off by 10⁻⁵ on a weak driver, and the change of q by as much; θ by that
/// times L/c_p and two roundings of 20 K.
#[test]
fn what_mixes_and_condenses_is_what_does_in_f64_at_all_sizes() -> Result<()> {
    on_gpu(|gpu| {
        for (&(width, height), periodic) in SIZES.iter().flat_map(|size| [(size, false), (size, true)]) {
            let (random, still) = (&mut Random(7), Air::default());
            let (column, pressures) = column(&still, height);
            let before = air((width * height) as usize, random);
            let warmth: Vec<f32> = (0..width).map(|_| random.unit()).collect();
            let given = [0.5f32, 1e-3];
            let column = gpu.buffer(1, height).components(4).init(&column)?;
            let ground = gpu.buffer(width, 1).components(1).init(&warmth)?;
            let source = gpu.buffer(width, height).components(4).init(&before)?;
            let target = gpu.buffer(width, height).components(4).build()?;
            let calm = at_rest(&still, height);
            let rest = gpu.buffer(1, height).components(2).init(&calm)?;
            let mut settle = load(gpu, "sim/clouds_settle.frag")?;
            settle
                .bind_stream("rest", &rest)?
                .bind_float("counts", [width as f32, height as f32])?
                .bind_float("periodic", [f32::from(u8::from(periodic)), 0.0])?
                .bind_float("mixing", MIXING)?
                .bind_float("renewal", RENEWAL)?
                .bind_stream("column", &column)?
                .bind_stream("ground", &ground)?
                .bind_stream("air", &source)?;
            settle.bind_float("given", given)?.run(&target)?;
            let after = target.data()?;
            let base = still.at(0.0).theta;
            let cells = Cells { size: [width as usize, height as usize], periodic };
            let mixed = mixed(&cells, &before, &calm);
            for (n, after) in after.chunks(4).enumerate() {
                let (i, j) = (n % width as usize, n / width as usize);
                let [theta, vapour, cloud] = [0, 1, 2].map(|k| mixed[k][n]);
                let from_below = if j == 0 { f64::from(warmth[i]) } else { 0.0 };
                let [warmer, moister] = given.map(|v| from_below * f64::from(v));
                let parcel = Parcel { theta: base + theta + warmer, vapour: vapour + moister, cloud };
                let exact = settled(parcel, pressures[j]);
                let most = saturation(exact.theta * exner(pressures[j]), pressures[j]);
                let bound = 2e-5 * most + 4.0 * U * (vapour + cloud) + 8.0 * U * 0.02;
                let found = [0, 1, 2].map(|k| f64::from(after[k]));
                assert!((found[1] - exact.vapour).abs() <= bound, "{found:?} {exact:?}");
                assert!((found[2] - exact.cloud).abs() <= bound, "{found:?} {exact:?}");
                let miss = (found[0] - (exact.theta - base)).abs();
                assert!(miss <= 3000.0 * bound + (40.0 + 8.0 * 25.0) * U, "{miss} K: {found:?} {exact:?}");
                assert!(found[1] >= 0.0 && found[2] >= 0.0);
                let water = found[1] + found[2] - parcel.vapour - parcel.cloud;
                let bound = 4.0 * U * (parcel.vapour + parcel.cloud) + 16.0 * U * 0.02;
                assert!(water.abs() <= bound, "{water} of {parcel:?}");
            }
        }
        Ok(())
    })
}

/// Seven products and sums of numbers up to 1.
#[test]
fn the_velocity_is_pushed_mixed_and_renewed_as_in_f64_at_all_sizes() -> Result<()> {
    on_gpu(|gpu| {
        for (&(width, height), periodic) in SIZES.iter().flat_map(|size| [(size, false), (size, true)]) {
            let random = &mut Random(5);
            let columns = width + u32::from(!periodic);
            let [faces, all] = [columns * (height + 1), width * height].map(|n| n as usize);
            let (now, pushes) = (random.floats(2 * faces), random.floats(2 * all));
            let velocity = gpu.buffer(columns, height + 1).components(2).init(&now)?;
            let push = gpu.buffer(width, height).components(2).init(&pushes)?;
            let target = gpu.buffer(columns, height + 1).components(2).build()?;
            let mut accelerate = load(gpu, "sim/clouds_accelerate.frag")?;
            accelerate.bind_stream("velocity", &velocity)?.bind_stream("push", &push)?;
            accelerate
                .bind_float("cells", [width as f32, height as f32])?
                .bind_float("periodic", [f32::from(u8::from(periodic)), 0.0])?
                .bind_float("time_step", 0.5)?
                .bind_float("mixing", MIXING)?
                .bind_float("renewal", RENEWAL)?
                .bind_float("wind", 0.75)?;
            accelerate.run(&target)?;
            let found = target.data()?;
            let [wide, high] = [width as usize, height as usize];
            let cells = Cells { size: [wide, high], periodic };
            for (k, size, wind) in [(0, [columns as usize, high], 0.75), (1, [wide, high + 1], 0.0)] {
                let place = |n: usize| 2 * (n / size[0] * columns as usize + n % size[0]) + k;
                let speeds: Vec<f64> = (0..size[0] * size[1]).map(|n| f64::from(now[place(n)])).collect();
                let mixing = Cells { size, periodic }.mixing(&speeds, MIXING.into(), None);
                for n in 0..speeds.len() {
                    let (i, j) = ((n % size[0]) as isize, (n / size[0]) as isize);
                    let pushed = |i, j| f64::from(pushes[2 * cells.at(i, j) + k]);
                    let before = if k == 0 { pushed(i - 1, j) } else { pushed(i, j - 1) };
                    let force = 0.5 * (pushed(i, j) + before);
                    let mixed = speeds[n] + mixing[n];
                    let expected = mixed + f64::from(RENEWAL) * (wind - mixed) + 0.5 * force;
                    let miss = (f64::from(found[place(n)]) - expected).abs();
                    assert!(miss <= 16.0 * U, "{miss:e} of {k} at ({i}, {j}), {width}x{height} {periodic}");
                }
            }
        }
        Ok(())
    })
}

/// Buoyancy: six roundings of its terms, g (θ − θ_ground)/θ of the air and of that at rest, and g q, 0.25 at most. Confinement: its direction is a difference of numbers up
/// to 1, each of 24 bits, so where they differ by less than 10⁻⁴ anything may be left of it: such cells are left away.
#[test]
fn the_push_is_that_of_the_loops_at_all_sizes_and_edges() -> Result<()> {
    on_gpu(|gpu| {
        for (&(width, height), periodic) in SIZES.iter().flat_map(|size| [(size, false), (size, true)]) {
            let (random, still) = (&mut Random(11), Air::default());
            let theta = still.at(0.0).theta;
            let around = |j: u32| still.at(40.0 * f64::from(j));
            let rest = at_rest(&still, height);
            let (now, spins) =
                (air((width * height) as usize, random), random.floats((width * height) as usize));
            let rest = gpu.buffer(1, height).components(2).init(&rest)?;
            let source = gpu.buffer(width, height).components(4).init(&now)?;
            let vorticity = gpu.buffer(width, height).components(1).init(&spins)?;
            let target = gpu.buffer(width, height).components(2).build()?;
            let mut push = load(gpu, "sim/clouds_push.frag")?;
            push.bind_stream("rest", &rest)?
                .bind_stream("air", &source)?
                .bind_stream("vorticity", &vorticity)?;
            push.bind_float("counts", [width as f32, height as f32])?
                .bind_float("periodic", [f32::from(u8::from(periodic)), 0.0])?
                .bind_float("confinement", 0.25)?
                .bind_float("theta", theta as f32)?
                .bind_float("gust", 0.125)?;
            push.run(&target)?;
            let found = target.data()?;
            let cells = Cells { size: [width as usize, height as usize], periodic };
            let spins: Vec<f64> = spins.iter().map(|&v| v.into()).collect();
            let around_vortices = cells.confinement(&spins, 0.25);
            for (n, (now, found)) in now.chunks(4).zip(found.chunks(2)).enumerate() {
                let (i, j) = ((n % width as usize) as isize, (n / width as usize) as isize);
                let turning = |di, dj| spins[cells.at(i + di, j + dj)].abs();
                let slope = [turning(1, 0) - turning(-1, 0), turning(0, 1) - turning(0, -1)];
                let slope = slope[0].hypot(slope[1]);
                if slope > 0.0 && slope < 1e-4 {
                    continue;
                }
                let [warm, vapour, cloud] = [0, 1, 2].map(|k| f64::from(now[k]));
                let parcel = Parcel { theta: theta + warm, vapour, cloud };
                let expected = [
                    0.125 + around_vortices[n][0],
                    buoyancy(&parcel, &around(j as u32)) + around_vortices[n][1],
                ];
                let far = 9.81 * (warm.abs() + (around(j as u32).theta - theta).abs()) / theta;
                let bound = 6.0 * U * (far + 0.25 + 0.25) + 0.25 * 8.0 * U / slope.max(1e-3);
                for k in 0..2 {
                    let miss = (f64::from(found[k]) - expected[k]).abs();
                    assert!(
                        miss <= bound,
                        "{miss:e} > {bound:e} of ({i}, {j}) at {width}x{height} {periodic}"
                    );
                }
            }
        }
        Ok(())
    })
}

/// A small box whose air is as it was made.
pub fn still(gpu: &Gpu, cells: [u32; 2], periodic: bool, air: Air) -> Result<Clouds> {
    let setting = Setting { cells, spacing: 50.0, periodic, air };
    Clouds::new(gpu, setting, Parameters { time_step: 5.0, heat: 0.0, ..Parameters::default() }, 1)
}

#[test]
fn a_deviation_is_from_the_row_at_rest() -> Result<()> {
    on_gpu(|gpu| {
        let random = &mut Random(9);
        let (width, height) = (5, 9);
        let (air, rest): (Vec<f32>, Vec<f32>) = (
            (0..4 * width * height).map(|_| random.signed()).collect(),
            (0..2 * height).map(|_| random.signed()).collect(),
        );
        let target = gpu.buffer(width as u32, height as u32).components(4).build()?;
        let mut program = gpu.builtin("sim/clouds_deviation.frag")?;
        program.bind_stream("air", &gpu.buffer(width as u32, height as u32).components(4).init(&air)?)?;
        program
            .bind_stream("rest", &gpu.buffer(1, height as u32).components(2).init(&rest)?)?
            .run(&target)?;
        for (n, &found) in target.data()?.iter().enumerate() {
            let (row, k) = (n / 4 / width, n % 4);
            let exact = if k < 2 { air[n] - rest[2 * row + k] } else { [air[n], 0.0][k - 2] };
            assert_eq!(found, exact, "cell {}, {k}", n / 4);
        }
        Ok(())
    })
}

/// Half a gram everywhere: sums of 64 and of 3 times 16 equal numbers, exact but for the weights between cells.
#[test]
fn shade_is_summed_over_64_steps_to_the_sun_and_16_each_to_the_sky() -> Result<()> {
    on_gpu(|gpu| {
        let (width, height) = (8, 90);
        let air: Vec<f32> = (0..width * height).flat_map(|_| [0.0, 0.0, 0.5, 0.0]).collect();
        let target = gpu.buffer(width, height).components(3).build()?;
        let mut program = load(gpu, "view/sky_light.frag")?;
        program.bind_stream("air", &gpu.buffer(width, height).components(4).init(&air)?)?;
        program.bind_float("counts", [width as f32, height as f32])?.bind_float("periodic", [1.0, 0.0])?;
        for stride in [1.0, 2.0] {
            program
                .bind_float("sun", [0.0, 1.0])?
                .bind_float("stride", stride)?
                .bind_float("depth", 0.25)?
                .run(&target)?;
            let found = target.data()?;
            // Steps that end at the top of the box or below it, upwards and sloping.
            let steps = |from: f32, count: i32, way: f32| {
                (0..count).filter(|&i| from + way * stride * (i as f32 + 0.5) <= 89.5).count() as f32
            };
            for row in 0..height {
                let from = row as f32;
                let sky = (steps(from, 16, 2.0) + 2.0 * steps(from, 16, 1.4)) * 2.0 / 3.0;
                let exact = [steps(from, 64, 1.0), sky].map(|steps| 0.25 * stride * 0.5 * steps);
                let [cloud, depths @ ..] = found.as_chunks::<3>().0[(row * width) as usize];
                assert_eq!(cloud, 0.5);
                for (found, exact) in depths.iter().zip(exact) {
                    assert!(
                        (found - exact).abs() <= 1e-5 * 8.0 * stride,
                        "stride {stride}, row {row}: {found}, {exact}"
                    );
                }
            }
        }
        Ok(())
    })
}
