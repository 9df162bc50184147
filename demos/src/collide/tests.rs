use quadrille::Gpu;
use quadrille::linalg::Algebra;
use quadrille::sim::contact::{Parameters, Watch, World};

use super::*;

fn run(columns: usize, rows: usize, p: Parameters, steps: usize, push: impl Fn(usize, &mut World)) {
    let algebra = Algebra::new(&Gpu::headless().unwrap());
    let mut world = World::wall(&algebra, columns, rows, p).unwrap();
    let mut watch = Watch::new(&world);
    let start = std::time::Instant::now();
    let mut total = 0;
    let mut rest = Vec::new();
    let (mut mc, mut mg, mut mr) = (0, 0, 0);
    for i in 0..steps {
        let before = world.kinetic_energy();
        push(i, &mut world);
        if world.kinetic_energy() != before {
            watch.pushed(&world);
        }
        world.step(&mut Boxes).unwrap();
        watch.stepped(&world);
        let r = *world.report();
        total += r.sweeps;
        mc = mc.max(r.unknowns);
        mg = mg.max(r.largest_group);
        mr = mr.max(r.rounds);
        rest.push(world.kinetic_energy());
        if (i % 20 == 0 && std::env::var("Q").is_err()) || (std::env::var("ALL").is_ok()) {
            println!(
                "{i:4} c {} n {} groups {} big {} rounds {} sweeps {} res {:.1e} pen {:.5} dE {:+.5} K {:.6} E {:.3} below2 {} t {:.1}",
                r.contacts,
                r.unknowns,
                r.groups,
                r.largest_group,
                r.rounds,
                r.sweeps,
                r.residual,
                r.penetration,
                r.energies[1] - r.energies[0],
                world.kinetic_energy(),
                world.energy(),
                world.below(2.0),
                start.elapsed().as_secs_f64()
            );
        }
    }
    let last = rest.iter().rposition(|&k| k > 1e-4 * watch.peak()).unwrap_or(0);
    println!(
        "SUM {:?} peak {:.0} still from {last}",
        watch
            .laws()
            .into_iter()
            .chain(watch.collapse(&world))
            .map(|l| format!("{:.1e}", l.found))
            .collect::<Vec<_>>(),
        watch.peak()
    );
    println!(
        "sweeps {total} max unknowns {mc} group {mg} rounds {mr} time {:.2}",
        start.elapsed().as_secs_f64()
    );
    let m = world
        .bodies()
        .iter()
        .enumerate()
        .map(|(i, b)| {
            let w = quadrille::sim::contact::wall(columns, rows).unwrap()[i].position;
            (0..3).map(|k| (b.position[k] - w[k]).abs()).fold(0.0, f64::max)
        })
        .fold(0.0, f64::max);
    println!("moved {m:.2e}");
}

#[test]
fn experiment_still() {
    run(10, 6, Parameters::default(), 300, |_, _| {});
}

#[test]
fn experiment_blast() {
    let s: f64 = std::env::var("S").map_or(60.0, |s| s.parse().unwrap());
    let h: f64 = std::env::var("H").map_or(60.0, |s| s.parse().unwrap());
    let n: usize = std::env::var("N").map_or(600, |s| s.parse().unwrap());
    let p = Parameters {
        time_step: 1.0 / h,
        friction: std::env::var("MU").map_or(0.5, |s| s.parse().unwrap()),
        ..scan()
    };
    run(10, 6, p, n, |i, world| {
        if i == 10 {
            for k in 0..world.bodies().len() {
                let b = world.bodies()[k];
                let c = [0.0, 3.0, 3.0];
                let d = [b.position[0] - c[0], b.position[1] - c[1], b.position[2] - c[2]];
                let r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                let f = s / r2 / r2.sqrt();
                world.push(k, b.position, [f * d[0], f * d[1], f * d[2]]).unwrap();
            }
        }
    });
}

#[test]
fn experiment_deep() {
    let s: f64 = std::env::var("S").map_or(60.0, |s| s.parse().unwrap());
    let h: f64 = std::env::var("H").map_or(60.0, |s| s.parse().unwrap());
    let n: usize = std::env::var("N").map_or(600, |s| s.parse().unwrap());
    let p = Parameters { time_step: 1.0 / h, ..Parameters::default() };
    let algebra = Algebra::new(&Gpu::headless().unwrap());
    let mut world = World::wall(&algebra, 10, 6, p).unwrap();
    for i in 0..n {
        if i == 10 {
            for k in 0..world.bodies().len() {
                let b = world.bodies()[k];
                let c = [0.0, 3.0, 3.0];
                let d = [b.position[0] - c[0], b.position[1] - c[1], b.position[2] - c[2]];
                let r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                let f = s / r2 / r2.sqrt();
                world.push(k, b.position, [f * d[0], f * d[1], f * d[2]]).unwrap();
            }
        }
        let before = world.bodies().to_vec();
        world.step(&mut Boxes).unwrap();
        let mut after = Vec::new();
        Boxes.contacts(world.bodies(), 0.0, &mut after);
        for c in after.iter().filter(|c| c.gap < -0.004) {
            let was: Vec<_> = world.contacts().iter().filter(|o| o.bodies == c.bodies).collect();
            let mut all = Vec::new();
            Boxes.contacts(&before, 1.0, &mut all);
            let cand: Vec<_> =
                all.iter().filter(|o| o.bodies == c.bodies).map(|o| (o.gap, o.normal)).collect();
            if was.iter().any(|w| w.gap < -0.004) {
                continue;
            }
            let (a, b) = (c.bodies.0, c.bodies.1.unwrap());
            println!("{i} {:?} gap {:.4} n {:.3?} p {:.3?}", c.bodies, c.gap, c.normal, c.point);
            for w in &was {
                println!("    was gap {:.4} n {:.3?} p {:.3?}", w.gap, w.normal, w.point);
            }
            println!("    cand {cand:.4?}");
            println!(
                "    w {:.2?} {:.2?} v {:.2?} {:.2?} rounds {}",
                world.bodies()[a].angular_velocity,
                world.bodies()[b].angular_velocity,
                world.bodies()[a].velocity,
                world.bodies()[b].velocity,
                world.report().rounds
            );
        }
    }
}

fn scan() -> Parameters {
    let get = |name: &str, or: f64| std::env::var(name).map_or(or, |s| s.parse().unwrap());
    let d = Parameters::default();
    Parameters {
        regularisation: get("EPS", d.regularisation),
        tolerance: get("TOL", d.tolerance),
        max_sweeps: get("MAX", d.max_sweeps as f64) as usize,
        slop: get("SLOP", d.slop),
        recovery: get("REC", d.recovery),
        recovery_speed: get("RECV", d.recovery_speed),
        margin: get("MARGIN", d.margin),
        rounds: get("ROUNDS", 2.0) as usize,
        ..d
    }
}
