use quadrille::Gpu;
use quadrille::linalg::Algebra;
use quadrille::numeric::Random;
use quadrille::sim::contact::{Form, Invariant, Parameters, Watch, World, wall};

use super::*;

type Result<T> = anyhow::Result<T>;

fn found(bodies: &[Body], margin: f64) -> Vec<Contact> {
    let mut out = Vec::new();
    Boxes.contacts(bodies, margin, &mut out);
    out
}

/// A unit cube turned about an axis.
fn turned(position: [f64; 3], axis: [f64; 3], angle: f64) -> Body {
    let [x, y, z] = axis.map(|part| part * (angle / 2.0).sin());
    Body { orientation: [x, y, z, (angle / 2.0).cos()], ..Body::cube(1.0, 1.0, position) }
}

#[test]
fn a_cube_on_another_has_its_four_corners_pushed_up() {
    let contacts =
        found(&[Body::cube(1.0, 1.0, [0.2, 1.504, 0.0]), Body::cube(1.0, 1.0, [0.0, 0.5, 0.1])], 0.01);
    assert_eq!(contacts.len(), 4);
    let mut places: Vec<[f64; 2]> =
        contacts.iter().map(|contact| [contact.point[0], contact.point[2]]).collect();
    places.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    for (place, expected) in places.into_iter().zip([[-0.3, -0.4], [-0.3, 0.5], [0.5, -0.4], [0.5, 0.5]]) {
        assert!((0..2).all(|k| (place[k] - expected[k]).abs() < 1e-12), "{place:?} {expected:?}");
    }
    for contact in contacts {
        assert!((contact.gap - 0.004).abs() < 1e-12 && contact.bodies == (0, Some(1)));
        assert!((contact.normal[1] - 1.0).abs() < 1e-12 && (contact.point[1] - 1.002).abs() < 1e-12);
    }
}

#[test]
fn equal_faces_meet_in_four_different_corners() {
    let contacts =
        found(&[Body::cube(1.0, 1.0, [0.0, 0.5, 0.0]), Body::cube(1.0, 1.0, [0.0, 1.5, 0.0])], 0.01);
    let corners: std::collections::BTreeSet<[i64; 2]> = contacts
        .iter()
        .map(|contact| [contact.point[0], contact.point[2]].map(|x| (x * 1e6).round() as i64))
        .collect();
    assert!(contacts.len() == 4 && corners.len() == 4, "{contacts:?}");
    assert!(contacts.iter().all(|contact| (contact.normal[1] + 1.0).abs() < 1e-12));
}

/// Two faces across each other meet in an octagon; four of its corners must hold the middle.
#[test]
fn a_twisted_cube_stands_on_four_points_around_its_middle() {
    let top = turned([0.0, 1.5, 0.0], [0.0, 1.0, 0.0], 0.6);
    let contacts = found(&[top, Body::cube(1.0, 1.0, [0.0, 0.5, 0.0])], 0.01);
    assert_eq!(contacts.len(), 4);
    for (x, z) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
        let beyond = |contact: &Contact| contact.point[0] * x + contact.point[2] * z > 0.4;
        assert!(contacts.iter().any(beyond), "nothing towards {x} {z}");
    }
}

#[test]
fn crossed_edges_meet_in_a_point_and_cubes_apart_in_none() {
    let (half, quarter) = (0.5f64.sqrt(), std::f64::consts::FRAC_PI_4);
    // The lower one's upper edge lies along x, the upper one's lower edge along z.
    let lower = turned([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], quarter);
    let upper = turned([0.1, 2.0 * half + 0.003, 0.2], [0.0, 0.0, 1.0], quarter);
    let contacts = found(&[upper, lower], 0.01);
    assert!(contacts.len() == 1 && (contacts[0].gap - 0.003).abs() < 1e-12, "{contacts:?}");
    assert!((contacts[0].point[0] - 0.1).abs() < 1e-12 && (contacts[0].point[2]).abs() < 1e-12);
    assert!(found(&[upper, lower], 0.002).is_empty());
}

#[test]
fn the_deepest_point_is_among_the_four() {
    let mut random = Random(5);
    for _ in 0..200 {
        let mut number = |size: f64| f64::from(random.signed()) * size;
        let tilted = turned([number(0.3), 1.45, number(0.3)], [0.6, 0.0, 0.8], number(0.1));
        let bodies = [tilted, turned([0.0, 0.5, 0.0], [0.0, 1.0, 0.0], number(1.0))];
        let (pose, other) = (pose(&bodies[0]), pose(&bodies[1]));
        let mut manifold = Manifold::new();
        let between = pose.inv_mul(&other);
        contact_manifold_cuboid_cuboid(
            &between,
            &cuboid(&bodies[0]),
            &cuboid(&bodies[1]),
            0.1,
            &mut manifold,
        );
        let all = points(&manifold, &between, 0.1);
        let least = |gaps: &mut dyn Iterator<Item = f64>| gaps.fold(f64::INFINITY, f64::min);
        let (contacts, deepest) = (found(&bodies, 0.1), least(&mut all.iter().map(|point| point.gap)));
        let kept = least(&mut contacts.iter().map(|contact| contact.gap));
        assert!(contacts.len() <= 4 && kept <= deepest + SHALLOW, "{kept} {deepest}");
    }
}

#[test]
fn pairs_are_the_same_whatever_lies_farther_left() {
    let bodies = wall(7, 3).unwrap_or_default();
    let near_pairs = near(&bodies, 0.0);
    let all = (0..bodies.len()).flat_map(|a| (a + 1..bodies.len()).map(move |b| (a, b)));
    let radii = 3.0f64.sqrt();
    let close = |&(a, b): &(usize, usize)| {
        let apart = |k: usize| bodies[a].position[k] - bodies[b].position[k];
        (0..3).map(|k| apart(k) * apart(k)).sum::<f64>().sqrt() <= radii
    };
    assert_eq!(near_pairs, all.filter(close).collect::<Vec<_>>());
}

/// How deep any two boxes lie in one another, by parry's other method, which knows nothing of faces and edges.
fn penetration(bodies: &[Body]) -> f64 {
    let depth = |(a, b): (usize, usize)| {
        let (a, b) = (&bodies[a], &bodies[b]);
        let found = parry3d_f64::query::details::contact_support_map_support_map(
            &pose(a).inv_mul(&pose(b)),
            &cuboid(a),
            &cuboid(b),
            0.0,
        );
        found.map_or(0.0, |contact| -contact.dist)
    };
    let ground = bodies.iter().flat_map(Body::corners).map(|corner| -corner[1]).fold(0.0, f64::max);
    near(bodies, 0.0).into_iter().map(depth).fold(ground, f64::max)
}

fn world(bodies: Vec<Body>, parameters: Parameters) -> Result<World> {
    Ok(World::new(&Algebra::new(&Gpu::headless()?), bodies, parameters)?)
}

fn on_cpu() -> Parameters {
    Parameters { form: Form::Reference, ..Parameters::default() }
}

/// So many steps, watched.
fn run(world: &mut World, watch: &mut Watch, steps: usize) -> Result<()> {
    for _ in 0..steps {
        world.step(&mut Boxes)?;
        watch.stepped(world);
    }
    Ok(())
}

fn hold(laws: Vec<Invariant>) {
    let broken: Vec<Invariant> = laws.into_iter().filter(|law| !law.holds()).collect();
    assert!(broken.is_empty(), "{broken:?}");
}

#[test]
fn a_wall_stands_still() -> Result<()> {
    let start = wall(10, 6)?;
    let mut world = world(start.clone(), on_cpu())?;
    let mut watch = Watch::new(&world);
    run(&mut world, &mut watch, 300)?;
    hold(watch.laws());
    for (now, then) in world.bodies().iter().zip(&start) {
        let moved = (0..3).map(|k| (now.position[k] - then.position[k]).abs()).fold(0.0, f64::max);
        assert!(moved < 1e-3, "{moved}");
    }
    // The gain of a step by gravity, to the LCP's tolerance, from cube to cube up to the sixth, and once more for their turning.
    let speed = 2.0 * 6.0 * Parameters::default().tolerance * 9.81 / 60.0;
    assert!(world.kinetic_energy() < 60.0 * 0.5 * speed * speed, "{}", world.kinetic_energy());
    assert_eq!((world.report().contacts, world.report().groups, world.report().largest_group), (240, 10, 72));
    Ok(())
}

/// The wall of sixty cubes, pushed in its middle: what the program's `--check` asks, and parry's second opinion.
#[test]
fn a_wall_that_is_knocked_falls_and_lies_still() -> Result<()> {
    let mut world = world(wall(10, 6)?, on_cpu())?;
    let mut watch = Watch::new(&world);
    run(&mut world, &mut watch, 10)?;
    world.knock()?;
    watch.pushed(&world);
    let (mut deepest, mut most) = (0.0, 0);
    for _ in 0..600 {
        run(&mut world, &mut watch, 1)?;
        deepest = f64::max(deepest, penetration(world.bodies()));
        most = most.max(world.report().unknowns);
    }
    hold(watch.laws());
    hold(watch.collapse(&world));
    assert!(deepest <= 0.02 && most <= 1200, "{deepest} {most}");
    Ok(())
}

#[test]
fn walls_of_other_sizes_fall_as_lawfully() -> Result<()> {
    for (columns, rows) in [(1, 1), (1, 2), (2, 1), (1, 7), (20, 3), (4, 4)] {
        let mut world = world(wall(columns, rows)?, on_cpu())?;
        let mut watch = Watch::new(&world);
        world.knock()?;
        watch.pushed(&world);
        run(&mut world, &mut watch, 240)?;
        hold(watch.laws());
    }
    Ok(())
}

/// One cube is hit hard: sideways along its row, from above, from below.
#[test]
fn a_hard_push_of_one_cube_breaks_no_law() -> Result<()> {
    for impulse in [[50.0, 0.0, 0.0], [0.0, -100.0, 0.0], [0.0, 50.0, 0.0], [3.0, 0.0, -60.0]] {
        let mut world = world(wall(10, 6)?, on_cpu())?;
        let mut watch = Watch::new(&world);
        let mut point = world.bodies()[34].position;
        point[2] += 0.3;
        world.push(34, point, impulse)?;
        watch.pushed(&world);
        run(&mut world, &mut watch, 60)?;
        hold(watch.laws());
    }
    Ok(())
}

/// Boxes of any shape and mass that fly at the origin and spin.
fn swarm(count: usize, cubes: bool, seed: u64) -> Vec<Body> {
    let mut random = Random(seed);
    let mut number = |low: f64, high: f64| low + (high - low) * f64::from(random.unit());
    let body = |i: usize| {
        // Each on its own ray from the origin, far enough from all others.
        let (height, angle) = (1.0 - 2.0 * (i as f64 + 0.5) / count as f64, 2.4 * i as f64);
        let flat = (1.0 - height * height).sqrt();
        let place = [flat * angle.cos(), height, flat * angle.sin()].map(|x| 4.0 * x);
        let mut body = turned(place, [0.0, 0.6, 0.8], number(0.0, 3.0));
        body.velocity = place.map(|x| -x * number(0.5, 1.5));
        body.angular_velocity = [number(-4.0, 4.0), number(-4.0, 4.0), number(-4.0, 4.0)];
        if !cubes {
            body.half_sides = [number(0.2, 0.6), number(0.2, 0.6), number(0.2, 0.6)];
            body.mass = number(0.3, 3.0);
        }
        body
    };
    (0..count).map(body).collect()
}

#[test]
fn boxes_thrown_at_each_other_keep_their_momentum() -> Result<()> {
    for (cubes, friction) in [(true, 0.5), (true, 0.0), (false, 0.5)] {
        let parameters = Parameters { gravity: 0.0, ground: false, friction, ..on_cpu() };
        let mut world = world(swarm(12, cubes, 3), parameters)?;
        let mut watch = Watch::new(&world);
        run(&mut world, &mut watch, 180)?;
        let laws = watch.laws();
        assert!(laws.len() == 3 && laws[2].found < 1e-12, "momentum changes by more than rounding: {laws:?}");
        assert!(world.kinetic_energy() < 0.9 * watch.peak(), "they have not met");
        hold(laws);
    }
    Ok(())
}

#[test]
fn boxes_of_any_shape_fall_into_a_heap() -> Result<()> {
    let mut bodies = swarm(12, false, 7);
    bodies.iter_mut().for_each(|body| body.position[1] += 6.0);
    let mut world = world(bodies, on_cpu())?;
    let mut watch = Watch::new(&world);
    run(&mut world, &mut watch, 240)?;
    hold(watch.laws());
    Ok(())
}

#[test]
fn the_same_wall_falls_by_the_same_bits() -> Result<()> {
    let fall = || -> Result<Vec<Body>> {
        let mut world = world(wall(5, 4)?, on_cpu())?;
        let mut watch = Watch::new(&world);
        world.knock()?;
        run(&mut world, &mut watch, 120)?;
        Ok(world.bodies().to_vec())
    };
    assert_eq!(fall()?, fall()?);
    Ok(())
}

/// The forms round differently and end elsewhere in their tolerance, so that their walls part sooner or later.
#[test]
fn on_the_gpu_a_wall_falls_as_it_does_on_the_cpu() -> Result<()> {
    let fall = |form| -> Result<(Vec<Body>, usize)> {
        let mut world = world(wall(4, 3)?, Parameters { form, ..Parameters::default() })?;
        let mut watch = Watch::new(&world);
        run(&mut world, &mut watch, 3)?;
        world.knock()?;
        watch.pushed(&world);
        run(&mut world, &mut watch, 12)?;
        let (early, groups) = (world.bodies().to_vec(), world.report().groups);
        run(&mut world, &mut watch, 45)?;
        hold(watch.laws());
        Ok((early, groups))
    };
    let (expected, groups) = fall(Form::Reference)?;
    for form in [Form::Groups, Form::Dense] {
        let (found, its) = fall(form)?;
        assert_eq!(its, groups);
        for (found, expected) in found.iter().zip(&expected) {
            let apart = (0..3).map(|k| (found.position[k] - expected.position[k]).abs()).fold(0.0, f64::max);
            // They fly with 6 m/s for 12 steps; the tolerance of each is as good as that of the next.
            assert!(apart < 0.01, "{form:?}: {apart}");
        }
    }
    Ok(())
}
