//! The kernels of contact, each against its formula in f64.

use quadrille::{Buffer, Gpu, Result, kernels};

use crate::support::{Random, on_gpu};

const U: f64 = 1.0 / (1u64 << 24) as f64;

type Texel = [f32; 4];
type Vec3 = [f64; 3];

fn buffer(gpu: &Gpu, width: usize, texels: &[Texel]) -> Result<Buffer> {
    let size = gpu.buffer(width as u32, (texels.len() / width) as u32);
    size.components(4).init(texels.as_flattened())
}

/// So many texels of numbers from −1 to 1, the last of each as said.
fn texels(random: &mut Random, count: usize, last: impl Fn(usize) -> f32) -> Vec<Texel> {
    let texel = |k| [random.signed(), random.signed(), random.signed(), last(k)];
    (0..count).map(texel).collect()
}

fn vector(texel: &Texel) -> Vec3 {
    [texel[0], texel[1], texel[2]].map(f64::from)
}

fn dot(a: Vec3, b: Vec3) -> f64 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

const CONTACTS: usize = 5;
const SLOTS: usize = 12;

/// Five contacts of 1, 4, 5, 9 and 12 slots, one of them without friction's rows, in a group that goes on and one that rests.
#[test]
fn a_sweep_is_a_step_of_projected_gradients_with_momentum() -> Result<()> {
    on_gpu(|gpu| {
        let random = &mut Random(7);
        let slots = [1, 4, 5, 9, 12];
        let group = |contact: usize| usize::from(contact >= 3);
        let neighbour = |place: usize| 0.5 + (place * 7 % CONTACTS) as f32;
        let mut blocks = [(); 3].map(|()| texels(random, CONTACTS * SLOTS, neighbour));
        for place in (0..CONTACTS * SLOTS).filter(|place| place % SLOTS >= slots[place / SLOTS]) {
            blocks.iter_mut().for_each(|column| column[place][..3].fill(0.0));
        }
        let mut contacts = texels(random, 7 * CONTACTS, |_| 9.0);
        for contact in 0..CONTACTS {
            let inverse = [1.25, 1.5, 1.75].map(|d| if contact == 1 && d > 1.25 { 0.0 } else { d });
            let row = 0.5 + group(contact) as f32;
            contacts[7 * contact + 5] = [inverse[0], inverse[1], inverse[2], row];
            contacts[7 * contact + 6][0] = slots[contact] as f32;
        }
        let round = texels(random, 3 * CONTACTS, |k| 0.1 + 0.05 * k as f32);
        let [x, y, g] = [(); 3].map(|()| texels(random, CONTACTS, |k| 0.3 - 0.2 * k as f32));
        for (sweep, rest) in [(0.0f32, 0.0), (9.0, 0.0), (9.0, 4.0)] {
            let steer = [[2.0, 0.25, 0.0, 8.0], [5.0, 0.125, rest, 8.0]];
            let steer =
                if sweep > 0.0 { steer } else { steer.map(|[_, pace, rest, far]| [0.0, pace, rest, far]) };
            let mut program = gpu.load(kernels::named("sim/contact_sweep.frag")?)?;
            let before = |own| if sweep > 0.0 { (1, own) } else { (3, &round) };
            let [(width, xs), (_, ys), (_, gs)] = [&x, &y, &g].map(before);
            for (name, width, texels) in [
                ("first", SLOTS, &blocks[0][..]),
                ("second", SLOTS, &blocks[1]),
                ("third", SLOTS, &blocks[2]),
                ("contacts", 7, &contacts),
                ("given", 3, &round),
                ("x", width, xs),
                ("y", width, ys),
                ("g", width, gs),
                ("steer", 1, &steer),
            ] {
                program.bind_stream(name, &buffer(gpu, width, texels)?)?;
            }
            let target = || gpu.buffer(1, CONTACTS as u32).components(4).build();
            let targets = [target()?, target()?, target()?, target()?];
            program.bind_float("sweep", sweep)?.onto(&targets.each_ref()).run()?;
            let found = targets.iter().map(Buffer::data).collect::<Result<Vec<_>>>()?;
            let start: Vec<Texel> = (0..CONTACTS).map(|k| round[3 * k + 1]).collect();
            let (x, y) = if sweep > 0.0 { (&x, &y) } else { (&start, &start) };
            for contact in 0..CONTACTS {
                let right = &round[3 * contact];
                let mut slope = vector(right);
                for place in contact * SLOTS..(contact + 1) * SLOTS {
                    let at = vector(&y[(blocks[0][place][3] - 0.5) as usize]);
                    for (column, factor) in blocks.iter().zip(at) {
                        (0..3).for_each(|k| slope[k] += vector(&column[place])[k] * factor);
                    }
                }
                let hold = f64::from(right[3]);
                let bounds = [(0.0, f64::INFINITY), (-hold, hold), (-hold, hold)];
                let inverse = vector(&contacts[7 * contact + 5]);
                let scale = inverse.map(|d| if d > 0.0 { 1.0 / d } else { 0.0 });
                let [since, pace, rest, _] = steer[group(contact)].map(f64::from);
                let (here, last) = (vector(&y[contact]), vector(&x[contact]));
                let step = |pace: f64| -> Vec3 {
                    std::array::from_fn(|k| {
                        let (low, high) = bounds[k];
                        (here[k] - pace * inverse[k] * slope[k]).clamp(low, high)
                    })
                };
                let minus = |a: Vec3, b: Vec3| -> Vec3 { std::array::from_fn(|k| a[k] - b[k]) };
                let times = |a: Vec3, b: Vec3| -> Vec3 { std::array::from_fn(|k| a[k] * b[k]) };
                let miss = times(scale, minus(here, step(1.0)).map(f64::abs));
                let age = f64::from(sweep) - since;
                let to = if rest > 0.0 { last } else { step(pace) };
                let next: Vec3 = std::array::from_fn(|k| to[k] + age / (age + 3.0) * (to[k] - last[k]));
                let ahead = minus(next, here);
                let way = [x, y, &g].map(|of| if sweep > 0.0 { f64::from(of[contact][3]) } else { 0.0 });
                let measured = [
                    miss.into_iter().fold(0.0, f64::max),
                    dot(minus(here, to), times(scale, minus(to, last))),
                    dot(way, minus(slope, vector(&g[contact]))),
                    dot(way, times(scale, way)),
                ];
                let beside = |v: Vec3, k: usize| [v[0], v[1], v[2], ahead[k]];
                let expected = [beside(to, 0), beside(next, 1), beside(slope, 2), measured];
                for (target, expected) in expected.iter().enumerate() {
                    for (k, expected) in expected.iter().enumerate() {
                        let found = f64::from(found[target][4 * contact + k]);
                        // Three dozen products and sums of numbers up to 8, and as many roundings after them.
                        let off = (found - expected).abs();
                        assert!(
                            off < 8.0 * 80.0 * U,
                            "{sweep}, {rest}: {contact}, {target}, {k}: {found} {expected}"
                        );
                    }
                }
            }
        }
        Ok(())
    })
}

/// In a case: how steep the way is, beside what the pace allows, whether it goes uphill, whether what velocities miss is the goal,
/// whether the group rests already, and a part of the way's t.D t, which 32 bits may take for 0. Sums of eighths are exact.
#[test]
fn a_survey_steers_each_group_by_all_its_contacts() -> Result<()> {
    on_gpu(|gpu| {
        let cases = [
            (0.5f32, -0.125, false, 0.0, 0.25),
            (3.0, -0.125, false, 0.0, 0.25),
            (0.5, 0.125, false, 0.0, 0.25),
            (0.5, -0.125, true, 0.0, 0.25),
            (3.0, 0.125, true, 16.0, 0.25),
            (3.0, -0.125, false, 0.0, 0.0),
        ];
        let (pace, goal, each) = (0.25, 0.5, 7);
        let (mut measured, mut round, mut steer) = (Vec::new(), Vec::new(), Vec::new());
        for (number, (steep, climb, at_goal, rest, weight)) in cases.into_iter().enumerate() {
            let worst = if at_goal { goal } else { 2.0 };
            for contact in 0..each {
                // The worst lies elsewhere in each, and so does what makes up the sums.
                let here = contact == (2 * number + 1) % each;
                measured.push([
                    if here { worst } else { 0.25 },
                    if here { climb + 0.75 } else { -0.125 },
                    if here { steep * 1.75 / pace - 1.5 } else { 0.25 },
                    weight,
                ]);
                round.extend([[9.0; 4]; 3]);
            }
            round[3 * number + 2] = [(each * number) as f32, each as f32, goal, 9.0];
            steer.push([8.0, pace, rest, 9.0]);
        }
        let expected = cases.map(|(steep, climb, at_goal, rest, weight)| {
            if rest > 0.0 {
                return [8.0, pace, rest, 9.0];
            }
            let shorter = steep > 1.0 && weight > 0.0;
            let next = if shorter { pace / (1.1 * steep) } else { pace };
            let since = if climb > 0.0 || shorter { 24.0 } else { 8.0 };
            [since, next, if at_goal { 24.0 } else { 0.0 }, if at_goal { goal } else { 2.0 }]
        });
        let measured = buffer(gpu, 1, &measured)?;
        let (round, steer) = (buffer(gpu, 3, &round)?, buffer(gpu, 1, &steer)?);
        let groups = cases.len() as u32;
        let survey = |stage: u32, measured: &Buffer, parts: u32| -> Result<Buffer> {
            let kernel = kernels::named("sim/contact_survey.frag")?.define("STAGE", stage);
            let mut program = gpu.load(kernel)?;
            program.bind_stream("measured", measured)?.bind_stream("given", &round)?;
            program.bind_float("parts", parts as f32)?;
            if stage > 0 {
                program.bind_stream("steer", &steer)?.bind_float("sweep", 24.0)?;
            }
            let target = gpu.buffer(if stage == 0 { parts } else { 1 }, groups).components(4).build()?;
            program.run(&target)?;
            Ok(target)
        };
        for parts in [1, 2, 3, 7, 9] {
            let next = match parts {
                1 => survey(2, &measured, 1)?,
                parts => survey(1, &survey(0, &measured, parts)?, parts)?,
            };
            for (case, (found, expected)) in next.data()?.chunks(4).zip(expected).enumerate() {
                for (found, expected) in found.iter().zip(expected) {
                    assert!(
                        (found - expected).abs() <= 8.0 * U as f32,
                        "{parts}, {case}: {found} {expected}"
                    );
                }
            }
        }
        Ok(())
    })
}
