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
        if (i % 20 == 0) || (std::env::var("ALL").is_ok()) || r.energies[1]-r.energies[0] > 0.00981 || r.penetration > 0.02 {
            println!("{i:4} c {} n {} groups {} big {} rounds {} sweeps {} res {:.1e} pen {:.5} dE {:+.5} K {:.6} E {:.3} below2 {} t {:.1}",
                r.contacts, r.unknowns, r.groups, r.largest_group, r.rounds, r.sweeps, r.residual, r.penetration,
                r.energies[1]-r.energies[0], world.kinetic_energy(), world.energy(), world.below(2.0), start.elapsed().as_secs_f64());
        }
    }
    println!("{:?}\n{:?} peak {}", watch.laws(), watch.collapse(&world), watch.peak());
    println!("sweeps {total} max unknowns {mc} group {mg} rounds {mr} time {:.2}", start.elapsed().as_secs_f64());
    let m = world.bodies().iter().enumerate().map(|(i,b)| { let w = quadrille::sim::contact::wall(columns, rows).unwrap()[i].position; (0..3).map(|k| (b.position[k]-w[k]).abs()).fold(0.0, f64::max)}).fold(0.0, f64::max);
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
    let p = Parameters { time_step: 1.0 / h, friction: std::env::var("MU").map_or(0.5, |s| s.parse().unwrap()), ..Parameters::default() };
    run(10, 6, p, n, |i, world| {
        if i == 10 {
            for k in 0..world.bodies().len() {
                let b = world.bodies()[k];
                let c = [0.0, 3.0, 3.0];
                let d = [b.position[0]-c[0], b.position[1]-c[1], b.position[2]-c[2]];
                let r2 = d[0]*d[0]+d[1]*d[1]+d[2]*d[2];
                let f = s / r2 / r2.sqrt();
                world.push(k, b.position, [f*d[0], f*d[1], f*d[2]]).unwrap();
            }
        }
    });
}
