use super::*;
use crate::sim::contact::vec3::{self, norm, unit_quaternion};

/// Two boxes that turn and move, and one that stands.
fn bodies() -> Vec<Body> {
    let tumbling = |position, half_sides, mass, sign: f64| Body {
        position,
        orientation: unit_quaternion([0.3 * sign, -0.2, 0.5, 0.9 * sign]),
        velocity: [sign, -2.0, 0.5],
        angular_velocity: [0.7, 1.5 * sign, -0.4],
        half_sides,
        mass,
    };
    let first = tumbling([0.0, 1.0, 0.2], [0.5, 0.3, 0.9], 2.0, 1.0);
    let second = tumbling([0.4, 2.0, 0.0], [0.4, 0.7, 0.2], 0.5, -1.0);
    vec![first, second, Body::cube(1.0, 1.0, [5.0, 0.5, 0.0])]
}

fn contacts() -> Vec<Contact> {
    let contact = |bodies, point, normal: Vec3| {
        let normal = scaled(normal, 1.0 / norm(normal));
        Contact { bodies, point, normal, gap: 0.0, feature: 0 }
    };
    vec![
        contact((0, Some(1)), [0.2, 1.4, 0.1], [0.1, -1.0, 0.3]),
        contact((0, None), [0.3, 0.5, -0.2], [0.0, 1.0, 0.0]),
        contact((1, Some(0)), [0.1, 1.5, 0.3], [-0.2, 1.0, 0.1]),
        contact((2, None), [5.5, 0.0, 0.5], [0.0, 1.0, 0.0]),
    ]
}

fn motions(bodies: &[Body]) -> Vec<Motion> {
    bodies.iter().map(|body| (body.velocity, body.angular_velocity)).collect()
}

fn system(bodies: &[Body], softness: f64) -> System {
    System::new(&contacts(), bodies, &motions(bodies), true, softness, |_| 0.0)
}

/// Where the point of a body that is at `point` now is after it moved for h.
fn carried(body: &Body, point: Vec3, h: f64) -> Vec3 {
    let own = vec3::apply_transposed(&body.rotation(), sub(point, body.position));
    let mut moved = *body;
    moved.drift(h);
    vec3::add(moved.position, vec3::apply(&moved.rotation(), own))
}

#[test]
fn a_row_times_the_velocities_is_how_fast_two_points_part() {
    let bodies = bodies();
    let (system, motions) = (system(&bodies, 0.0), motions(&bodies));
    for (contact, rows) in contacts().iter().zip(system.rows.chunks(3)) {
        let apart = |h: f64| {
            let first = carried(&bodies[contact.bodies.0], contact.point, h);
            let second =
                contact.bodies.1.map_or(contact.point, |body| carried(&bodies[body], contact.point, h));
            sub(first, second)
        };
        // A central difference is wrong by h²/6 of a third derivative, here below ω³ r ≈ 10, and by rounding 2⁻⁵²/h.
        let h = 1e-4;
        let speed = scaled(sub(apart(h), apart(-h)), 0.5 / h);
        let [first, second] = tangents(contact.normal);
        for (row, direction) in rows.iter().zip([contact.normal, first, second]) {
            assert!((row.speed(&motions) - dot(direction, speed)).abs() < 1e-7, "{contact:?}");
        }
    }
}

/// Against impulses given to the bodies themselves, which know nothing of rows.
#[test]
fn the_matrix_is_what_unit_impulses_do() {
    let bodies = bodies();
    let system = system(&bodies, 0.0);
    let n = system.rows.len();
    let a = system.matrix(0..n);
    let directions: Vec<(Contact, Vec3)> = contacts()
        .into_iter()
        .flat_map(|contact| {
            let [first, second] = tangents(contact.normal);
            [contact.normal, first, second].map(|direction| (contact, direction))
        })
        .collect();
    for (j, (by, impulse)) in directions.iter().enumerate() {
        let mut pushed = bodies.clone();
        pushed[by.bodies.0].push(by.point, *impulse);
        if let Some(second) = by.bodies.1 {
            pushed[second].push(by.point, scaled(*impulse, -1.0));
        }
        for (i, (at, direction)) in directions.iter().enumerate() {
            let gain = |body: usize| {
                dot(*direction, sub(pushed[body].velocity_at(at.point), bodies[body].velocity_at(at.point)))
            };
            let expected = gain(at.bodies.0) - at.bodies.1.map_or(0.0, gain);
            assert!((a[i * n + j] - expected).abs() < 1e-13, "({i}, {j}): {} {expected}", a[i * n + j]);
            assert_eq!(a[i * n + j], a[j * n + i]);
        }
    }
    // The third body touches nobody else.
    assert!((0..9).all(|i| (9..12).all(|j| a[i * n + j] == 0.0)));
}

#[test]
fn softness_is_a_part_of_the_diagonal() {
    let bodies = bodies();
    let (hard, soft) = (system(&bodies, 0.0).matrix(3..9), system(&bodies, 0.25).matrix(3..9));
    for (k, (hard, soft)) in hard.iter().zip(soft).enumerate() {
        let expected = if k % 7 == 0 { 1.25 * hard } else { *hard };
        assert!((soft - expected).abs() < 1e-15);
    }
}

#[test]
fn impulses_change_motions_as_the_matrix_says() {
    let bodies = bodies();
    let system = system(&bodies, 0.0);
    let n = system.rows.len();
    let impulses: Vec<f64> = (0..n).map(|i| (i as f64 * 1.7).sin()).collect();
    let changes = system.changes(0..n, &impulses, bodies.len());
    let a = system.matrix(0..n);
    for i in 0..n {
        let product: f64 = (0..n).map(|j| a[i * n + j] * impulses[j]).sum();
        assert!((system.rows[i].speed(&changes) - product).abs() < 1e-12);
    }
}

#[test]
fn bounds_let_contacts_push_and_friction_hold() {
    let system = system(&bodies(), 0.0);
    let impulses: Vec<f64> = (0..12).map(|i| if i == 3 { -1.0 } else { i as f64 }).collect();
    let (lower, upper) = system.bounds(0.5, &impulses);
    assert_eq!((lower[6], upper[6]), (0.0, f64::INFINITY));
    assert_eq!((lower[8], upper[8]), (-3.0, 3.0));
    assert_eq!((lower[4], upper[5]), (0.0, 0.0), "a normal impulse below 0 lets nothing hold");
}
