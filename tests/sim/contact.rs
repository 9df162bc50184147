//! Rigid boxes: laws of motion that have an answer in closed form, and what is refused.

use quadrille::linalg::Algebra;
use quadrille::sim::contact::{
    Body, Collide, Contact, Form, Impulse, Method, NoCollisions, OMEGA, Parameters, Watch, World, wall,
};
use quadrille::{Gpu, Result};

use crate::support::{on_gpu, refusal};

fn world(gpu: &Gpu, bodies: Vec<Body>, parameters: Parameters) -> Result<World> {
    World::new(&Algebra::new(gpu), bodies, parameters)
}

fn on_cpu() -> Parameters {
    Parameters { form: Form::Reference, ..Parameters::default() }
}

/// So many steps, all laws watched.
fn run(world: &mut World, collide: &mut dyn Collide, steps: usize) -> Result<Watch> {
    let mut watch = Watch::new(world);
    for _ in 0..steps {
        world.step(collide)?;
        watch.stepped(world);
    }
    let broken: Vec<_> = watch.laws().into_iter().filter(|law| !law.holds()).collect();
    assert!(broken.is_empty(), "{broken:?}");
    Ok(watch)
}

/// With steps of h seconds the speed falls by μ g h a step: v²/(2 μ g) long, and half a step's way shorter.
#[test]
fn a_sliding_cube_stops_after_its_braking_distance() -> Result<()> {
    on_gpu(|gpu| {
        for friction in [0.2, 0.5, 0.8] {
            let cube = Body { velocity: [3.0, 0.0, 0.0], ..Body::cube(1.0, 2.0, [0.0, 0.5, 0.0]) };
            let parameters = Parameters { friction, ..on_cpu() };
            let mut world = world(gpu, vec![cube], parameters)?;
            run(&mut world, &mut NoCollisions, 200)?;
            let (body, distance) = (world.bodies()[0], 9.0 / (2.0 * friction * 9.81));
            let error = body.position[0] - distance;
            // Friction of the first step is bounded by a normal impulse not yet known: up to one step's way more.
            assert!(error.abs() < 3.0 / 60.0, "{friction}: {} of {distance}", body.position[0]);
            assert!((body.position[1] - 0.5).abs() < 1e-3 && world.kinetic_energy() < 1e-6);
        }
        Ok(())
    })
}

#[test]
fn without_friction_a_cube_slides_on() -> Result<()> {
    on_gpu(|gpu| {
        let cube = Body { velocity: [3.0, 0.0, 0.0], ..Body::cube(1.0, 2.0, [0.0, 0.5, 0.0]) };
        let mut world = world(gpu, vec![cube], Parameters { friction: 0.0, ..on_cpu() })?;
        run(&mut world, &mut NoCollisions, 60)?;
        assert_eq!(world.report().unknowns, 4);
        assert!((world.bodies()[0].velocity[0] - 3.0).abs() < 1e-9);
        Ok(())
    })
}

#[test]
fn a_dropped_cube_lies_still_where_it_fell() -> Result<()> {
    on_gpu(|gpu| {
        let mut world = world(gpu, vec![Body::cube(1.0, 1.0, [0.3, 3.0, -0.2])], on_cpu())?;
        run(&mut world, &mut NoCollisions, 120)?;
        let [x, y, z] = world.bodies()[0].position;
        // The LCP's tolerance leaves this of 7 m/s, for a step.
        let bound = 2.0 * 7.0 * Parameters::default().tolerance / 60.0;
        assert!([x - 0.3, y - 0.5, z + 0.2].iter().all(|error| error.abs() < bound), "{x} {y} {z}");
        assert!(world.kinetic_energy() < 1e-9);
        Ok(())
    })
}

/// A box of three different sides that spins while it flies, falls and tips over.
#[test]
fn a_tumbling_brick_comes_to_rest_on_a_side() -> Result<()> {
    on_gpu(|gpu| {
        let brick = Body {
            half_sides: [0.2, 0.5, 0.9],
            orientation: [0.1, 0.7, -0.1, 0.7],
            velocity: [4.0, 0.0, -2.0],
            angular_velocity: [3.0, -4.0, 8.0],
            ..Body::cube(1.0, 3.0, [0.0, 3.0, 0.0])
        };
        let mut world = world(gpu, vec![brick], on_cpu())?;
        let watch = run(&mut world, &mut NoCollisions, 600)?;
        let height = world.bodies()[0].position[1];
        let side = [0.2, 0.5, 0.9].iter().any(|side| (height - side).abs() < 0.01);
        assert!(side && watch.collapse(&world)[1].holds(), "{height} {:?}", watch.collapse(&world));
        Ok(())
    })
}

/// Two cubes that face one another along x meet in the four corners of their faces.
struct Facing;

impl Collide for Facing {
    fn contacts(&mut self, bodies: &[Body], margin: f64, out: &mut Vec<Contact>) {
        let (left, right) = (bodies[0], bodies[1]);
        let middle = (left.position[0] + left.half_sides[0] + right.position[0] - right.half_sides[0]) / 2.0;
        let gap = right.position[0] - left.position[0] - left.half_sides[0] - right.half_sides[0];
        let corners = [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)];
        out.extend(corners.into_iter().enumerate().filter(|_| gap <= margin).map(|(k, (y, z))| Contact {
            bodies: (0, Some(1)),
            point: [middle, left.position[1] + y, left.position[2] + z],
            normal: [-1.0, 0.0, 0.0],
            gap,
            feature: k as u64,
        }));
    }
}

#[test]
fn two_cubes_that_meet_go_on_with_their_common_momentum() -> Result<()> {
    on_gpu(|gpu| {
        let left = Body { velocity: [5.0, 0.0, 0.0], ..Body::cube(1.0, 3.0, [-2.0, 0.0, 0.0]) };
        let right = Body { velocity: [-2.0, 0.0, 0.0], ..Body::cube(1.0, 1.0, [2.0, 0.0, 0.0]) };
        let parameters = Parameters { gravity: 0.0, ground: false, ..on_cpu() };
        let mut world = world(gpu, vec![left, right], parameters)?;
        run(&mut world, &mut Facing, 60)?;
        for body in world.bodies() {
            // (3·5 − 1·2) / 4, to the tolerance of the LCP relative to the 7 m/s at which they met.
            assert!(
                (body.velocity[0] - 3.25).abs() < 7.0 * Parameters::default().tolerance,
                "{:?}",
                body.velocity
            );
        }
        let apart = world.bodies()[1].position[0] - world.bodies()[0].position[0];
        assert!((apart - 1.0).abs() < 0.01, "{apart}");
        Ok(())
    })
}

/// Three cubes that slide, each a group of its own, and a fourth in the air.
#[test]
fn on_the_gpu_cubes_slide_as_they_do_on_the_cpu() -> Result<()> {
    on_gpu(|gpu| {
        let end = |form, friction| -> Result<(Vec<Body>, usize)> {
            let mut bodies = wall(4, 1)?;
            for (body, speed) in bodies.iter_mut().zip([1.0, 0.0, -0.5]) {
                body.velocity = [0.0, 0.0, speed];
            }
            bodies[3].position[1] = 3.0;
            let mut world = world(gpu, bodies, Parameters { form, friction, ..Parameters::default() })?;
            run(&mut world, &mut NoCollisions, 20)?;
            Ok((world.bodies().to_vec(), world.report().groups))
        };
        for friction in [0.0, 0.5] {
            let (expected, groups) = end(Form::Reference, friction)?;
            assert_eq!(groups, 3);
            for form in [Form::Dense, Form::Groups] {
                for (found, expected) in end(form, friction)?.0.iter().zip(&expected) {
                    for (found, expected) in found.position.iter().zip(expected.position) {
                        // Twenty steps, each with the LCP's tolerance of 1 m/s.
                        let bound = 20.0 * 2.0 * Parameters::default().tolerance / 60.0;
                        assert!((found - expected).abs() < bound, "{form:?}: {found} {expected}");
                    }
                }
            }
        }
        Ok(())
    })
}

/// Weight decides how large impulses are, and nothing else.
#[test]
fn light_and_heavy_posts_stand_as_still_in_every_form() -> Result<()> {
    on_gpu(|gpu| {
        for form in [Form::Reference, Form::Groups, Form::Dense] {
            for mass in [1e-6, 1e-3, 1.0, 1e6] {
                let post = |x: f64, mass: f64| Body {
                    half_sides: [0.1, 0.5, 0.1],
                    ..Body::cube(1.0, mass, [x, 0.5, 0.0])
                };
                let posts = vec![post(0.0, mass), post(3.0, 2.0 * mass)];
                let mut world = world(gpu, posts, Parameters { form, ..Parameters::default() })?;
                run(&mut world, &mut NoCollisions, 30)?;
                // The gain of each step by gravity, to twice the LCP's tolerance.
                let speed = 2.0 * Parameters::default().tolerance * 9.81 / 60.0;
                for body in world.bodies() {
                    let moved = (body.position[1] - 0.5).abs();
                    assert!(moved < 30.0 * speed / 60.0, "{form:?}, {mass} kg: {moved}");
                }
            }
        }
        Ok(())
    })
}

#[test]
fn the_same_bodies_move_by_the_same_bits() -> Result<()> {
    on_gpu(|gpu| {
        for form in [Form::Reference, Form::Groups, Form::Dense] {
            let end = || -> Result<Vec<Body>> {
                let mut world = world(gpu, wall(3, 1)?, Parameters { form, ..Parameters::default() })?;
                world.blast([0.2, -1.0, 0.1], 20.0)?;
                run(&mut world, &mut NoCollisions, 40)?;
                Ok(world.bodies().to_vec())
            };
            assert_eq!(end()?, end()?, "{form:?}");
        }
        Ok(())
    })
}

#[test]
fn bodies_that_fly_out_of_all_numbers_are_refused_and_stay() -> Result<()> {
    on_gpu(|gpu| {
        let mut world = world(gpu, wall(1, 1)?, on_cpu())?;
        world.push(0, [0.0; 3], [1e308, 1e308, 0.0])?;
        let before = world.bodies().to_vec();
        assert!(!refusal(world.step(&mut NoCollisions)).is_empty());
        assert_eq!(world.bodies(), before);
        Ok(())
    })
}

/// A library that makes contacts up.
struct Liar(Contact);

impl Collide for Liar {
    fn contacts(&mut self, _: &[Body], _: f64, out: &mut Vec<Contact>) {
        out.push(self.0);
    }
}

#[test]
fn contacts_that_cannot_be_are_refused_and_nothing_moves() -> Result<()> {
    on_gpu(|gpu| {
        let good =
            Contact { bodies: (0, Some(1)), point: [0.0; 3], normal: [0.0, 1.0, 0.0], gap: 0.0, feature: 0 };
        let mut world = world(gpu, wall(2, 1)?, on_cpu())?;
        let before = world.bodies().to_vec();
        for bad in [
            Contact { bodies: (2, None), ..good },
            Contact { bodies: (1, Some(1)), ..good },
            Contact { bodies: (0, Some(9)), ..good },
            Contact { gap: f64::NAN, ..good },
            Contact { normal: [0.0, 2.0, 0.0], ..good },
            Contact { normal: [f64::NAN; 3], ..good },
            Contact { point: [f64::INFINITY; 3], ..good },
        ] {
            let line = refusal(world.step(&mut Liar(bad)));
            assert!(line.starts_with("contact = "), "{line}");
            assert_eq!(world.bodies(), before);
        }
        Ok(())
    })
}

/// The products of a solver's 32 bits hold 10³⁰ times what a kilogram and a metre need, not 10³¹.
#[test]
fn impulses_that_no_solver_holds_are_refused_and_those_before_stay() -> Result<()> {
    on_gpu(|gpu| {
        let mut world = world(gpu, wall(2, 1)?, on_cpu())?;
        let good = Impulse {
            bodies: (0, Some(1)),
            feature: 3,
            place: [0.5; 3],
            normal: 1e30,
            friction: [-1e30, 0.0, 1.0],
        };
        world.set_impulses(vec![good])?;
        assert_eq!(world.impulses(), [good]);
        for bad in [
            Impulse { normal: 1.01e30, ..good },
            Impulse { normal: f64::NAN, ..good },
            Impulse { friction: [0.0, -1.01e30, 0.0], ..good },
            Impulse { place: [0.0, 0.0, f64::INFINITY], ..good },
            Impulse { bodies: (0, Some(2)), ..good },
            Impulse { bodies: (1, Some(1)), ..good },
        ] {
            let line = refusal(world.set_impulses(vec![good, bad]));
            assert!(line.starts_with("impulse = Impulse") && line.contains("numbers up to 1e30"), "{line}");
            assert_eq!(world.impulses(), [good]);
        }
        Ok(())
    })
}

#[test]
fn worlds_walls_and_pushes_that_cannot_be_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let new = |bodies, parameters| refusal(world(gpu, bodies, parameters));
        assert_eq!(new(Vec::new(), Parameters::default()), "bodies = 0: expected 1 or more");
        let still = Parameters { time_step: 0.0, ..on_cpu() };
        assert!(new(wall(1, 1)?, still).starts_with("time step = 0"));
        let weightless = Body::cube(1.0, 0.0, [0.0; 3]);
        assert_eq!(new(vec![weightless], Parameters::default()), "mass = 0: expected above 0");
        for (columns, rows) in [(0, 1), (1, 0), (usize::MAX, 2), (101, 100)] {
            assert!(refusal(wall(columns, rows)).starts_with("wall = "));
        }
        let mut world = world(gpu, wall(2, 3)?, on_cpu())?;
        assert_eq!(refusal(world.push(6, [0.0; 3], [0.0; 3])), "body = 6: expected 0 to 5");
        assert!(refusal(world.push(0, [f64::NAN; 3], [0.0; 3])).starts_with("push = "));
        assert!(refusal(world.blast([0.0; 3], f64::INFINITY)).starts_with("push = "));
        // Beside the last cube this is more than a number holds, and far from the others it is not.
        assert!(refusal(world.blast([0.5, 2.5, 0.5], 1e308)).starts_with("push = "));
        let slippery = Parameters { friction: -1.0, ..on_cpu() };
        assert!(refusal(world.set_parameters(slippery)).starts_with("friction = -1"));
        assert_eq!(world.bodies(), wall(2, 3)?);
        Ok(())
    })
}

/// A unit cube of mass m flat on the ground: each corner has the diagonal 4/m and, as all four give alike, the row sum 4/m, so a
/// sweep leaves 1 + ω of what is missing. ε of the diagonal is part of both. From rest, without friction, 8 sweeps for the four
/// corners leave of the speed h g that the ground has to stop 1 − (1 − (1 + ω)⁸)/(1 + ε).
#[test]
fn projected_jacobi_makes_two_sweeps_an_unknown() -> Result<()> {
    on_gpu(|gpu| {
        let cube = |x: f64| Body::cube(1.0, 2.0, [x, 0.5, 0.0]);
        for (form, cubes, omega) in [
            (Form::Dense, 1, OMEGA),
            (Form::Groups, 1, OMEGA),
            (Form::Groups, 1, -0.05),
            (Form::Groups, 3, OMEGA),
            (Form::Dense, 3, OMEGA),
        ] {
            let parameters = Parameters {
                form,
                friction: 0.0,
                rounds: 1,
                method: Method::Jacobi { omega },
                ..Parameters::default()
            };
            let bodies = (0..cubes).map(|i| cube(2.0 * f64::from(i))).collect();
            let mut world = world(gpu, bodies, parameters)?;
            world.step(&mut NoCollisions)?;
            // Groups take their sweeps at once, each as many as the largest.
            let sweeps = if form == Form::Dense { 8 * cubes } else { 8 };
            let report = *world.report();
            assert_eq!((report.rounds, report.sweeps), (1, sweeps as usize), "{form:?}, {cubes}");
            let missing = (1.0 + omega).powi(sweeps);
            let left = 1.0 - (1.0 - missing) / (1.0 + parameters.regularisation);
            let expected = -left * parameters.gravity * parameters.time_step;
            for body in world.bodies() {
                // A rounding of 32 bits for each sweep of numbers up to h g, and some at its ends.
                let bound = f64::from(sweeps + 8) * 2f64.powi(-24) * 0.2;
                let found = body.velocity[1];
                assert!(
                    (found - expected).abs() <= bound,
                    "{form:?}, {cubes}, {omega}: {found}, {expected} expected"
                );
            }
        }
        Ok(())
    })
}

/// Boxes that lie on one another in the order in which they are numbered, on the four lower corners of the upper one, along
/// normals that lean.
struct Pile;

impl Collide for Pile {
    fn contacts(&mut self, bodies: &[Body], margin: f64, out: &mut Vec<Contact>) {
        let length = (0.1f64 * 0.1 + 1.0 + 0.04 * 0.04).sqrt();
        let normal = [0.1, 1.0, -0.04].map(|part: f64| part / length);
        for (lower, pair) in bodies.windows(2).enumerate() {
            let top = pair[0].position[1] + pair[0].half_sides[1];
            let near = (0..3).step_by(2).all(|k| (pair[0].position[k] - pair[1].position[k]).abs() < 1.0);
            for (corner, place) in pair[1].corners().into_iter().enumerate().filter(|(k, _)| k & 2 == 0) {
                let (gap, point) = (place[1] - top, place);
                if near && gap <= margin {
                    let bodies = (lower + 1, Some(lower));
                    out.push(Contact { bodies, point, normal, gap, feature: corner as u64 });
                }
            }
        }
    }
}

/// Piles of so many boxes of unlike sides and weights, beside each other; each moves and turns on its own.
fn piles(heights: &[usize]) -> Vec<Body> {
    let mut bodies: Vec<Body> = Vec::new();
    for (pile, &height) in heights.iter().enumerate() {
        let mut top = 0.0;
        for k in 0..height {
            let part = |step: usize| (bodies.len() * step % 7) as f64 / 7.0;
            let half_sides = [0.4 + 0.3 * part(3), 0.2 + 0.3 * part(5), 0.5 + 0.2 * part(2)];
            let body = Body {
                half_sides,
                velocity: [part(4) - 0.5, -0.5 * part(1), part(6) - 0.5],
                angular_velocity: [0.3 - part(1), part(2), 0.4 - part(5)],
                ..Body::cube(
                    1.0,
                    0.5 + 2.0 * part(3),
                    [3.0 * pile as f64, top + half_sides[1], 0.01 * k as f64],
                )
            };
            top += 2.0 * half_sides[1];
            bodies.push(body);
        }
    }
    bodies
}

/// The residual in a report is computed in f64 of the impulses as they are applied: nothing of it is the GPU's. A box, two of unlike
/// weight, more groups than the textures of a first step hold, and groups of more than the 32 contacts that one fragment surveys.
#[test]
fn groups_are_solved_to_their_tolerance() -> Result<()> {
    on_gpu(|gpu| {
        let many = vec![1; 70];
        for (heights, groups, contacts) in
            [(&[1][..], 1, 1), (&[2], 1, 5), (&many, 65, 1), (&[9, 1, 3, 14], 4, 33)]
        {
            for (friction, tolerance) in [(0.5, 3e-4), (0.0, 3e-4), (0.5, 1e-4)] {
                let parameters =
                    Parameters { friction, tolerance, max_sweeps: 4000, ..Parameters::default() };
                let mut world = world(gpu, piles(heights), parameters)?;
                let mut most = [0; 2];
                for _ in 0..3 {
                    world.step(&mut Pile)?;
                    let report = *world.report();
                    assert!(report.residual <= tolerance, "{heights:?}, {friction}: {report:?}");
                    let per = if friction > 0.0 { 3 } else { 1 };
                    most = [most[0].max(report.groups), most[1].max(report.largest_group / per)];
                }
                assert!(most[0] >= groups && most[1] >= contacts, "{heights:?}: {most:?}");
            }
        }
        Ok(())
    })
}

/// Where 32 bits see a residual only roughly, what they take for the end is looked at in 64.
#[test]
fn a_tolerance_near_rounding_is_met_in_truth_or_not_at_all() -> Result<()> {
    on_gpu(|gpu| {
        for tolerance in [2e-7, 5e-7, 1e-6, 2e-6, 4e-6] {
            for heights in [&[1][..], &[2, 3], &[5]] {
                let parameters = Parameters { tolerance, max_sweeps: 2000, ..Parameters::default() };
                let mut world = world(gpu, piles(heights), parameters)?;
                for _ in 0..2 {
                    world.step(&mut Pile)?;
                    let report = *world.report();
                    assert!(report.residual <= tolerance || report.sweeps >= 2000, "{tolerance}: {report:?}");
                }
            }
        }
        Ok(())
    })
}

/// A row that stands needs no more than the impulses of the step before, so that each round ends at its first survey, after eight sweeps.
#[test]
fn what_stands_starts_from_its_last_impulses() -> Result<()> {
    on_gpu(|gpu| {
        let mut world = world(gpu, wall(40, 1)?, Parameters::default())?;
        run(&mut world, &mut NoCollisions, 20)?;
        assert_eq!((world.report().rounds, world.report().sweeps), (2, 16));
        Ok(())
    })
}

/// Sweeps end where they must, also at a number between two surveys, and at a tolerance that 32 bits never reach.
#[test]
fn sweeps_end_at_their_number() -> Result<()> {
    on_gpu(|gpu| {
        for (tolerance, max_sweeps) in [(3e-4, 1), (3e-4, 11), (1e-12, 8), (1e-12, 77)] {
            let parameters = Parameters { tolerance, max_sweeps, rounds: 1, ..Parameters::default() };
            let mut world = world(gpu, piles(&[6, 12]), parameters)?;
            world.step(&mut Pile)?;
            let report = *world.report();
            assert_eq!(report.sweeps, report.rounds * max_sweeps, "{report:?}");
            assert!(report.residual > tolerance);
        }
        Ok(())
    })
}

/// The end of a step is no matter of how many sweeps the step before took, nor of its textures.
#[test]
fn a_world_goes_on_from_bodies_and_impulses_by_the_same_bits() -> Result<()> {
    on_gpu(|gpu| {
        let parameters = Parameters::default();
        let mut first = world(gpu, piles(&[2, 5, 11]), parameters)?;
        for _ in 0..12 {
            let mut other = world(gpu, first.bodies().to_vec(), parameters)?;
            other.set_impulses(first.impulses().to_vec())?;
            other.step(&mut Pile)?;
            first.step(&mut Pile)?;
            assert_eq!(first.bodies(), other.bodies());
            assert_eq!(first.impulses(), other.impulses());
            assert_eq!(first.report(), other.report());
        }
        Ok(())
    })
}
