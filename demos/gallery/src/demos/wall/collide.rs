//! Contacts between boxes, from parry: where two boxes come nearest, along which normal, and by how much.

use parry3d_f64::math::{Pose, Real, Rotation, Vector};
use parry3d_f64::query::ContactManifold;
use parry3d_f64::query::details::contact_manifold_cuboid_cuboid;

use parry3d_f64::shape::Cuboid;
use quadrille::sim::contact::{Body, Collide, Contact};

/// Finds the contacts of boxes anew each time, so that the same boxes have the same contacts whatever came before.
#[derive(Clone, Copy, Debug, Default)]
pub struct Boxes;

/// A pair's contacts as parry has them.
type Manifold = ContactManifold<(), ()>;

impl Collide for Boxes {
    fn contacts(&mut self, bodies: &[Body], margin: f64, out: &mut Vec<Contact>) {
        for (a, b) in near(bodies, margin) {
            let (first, second) = (&bodies[a], &bodies[b]);
            let (pose, other) = (pose(first), pose(second));
            let mut manifold = Manifold::new();
            let between = pose.inv_mul(&other);
            contact_manifold_cuboid_cuboid(&between, &cuboid(first), &cuboid(second), margin, &mut manifold);
            let points = points(&manifold, &between, margin);
            let normal = -(pose.rotation * manifold.local_n1);
            out.extend(corners(&points, manifold.local_n1).into_iter().map(|point| Contact {
                bodies: (a, Some(b)),
                point: (pose * point.place).to_array(),
                normal: normal.to_array(),
                gap: point.gap,
                feature: point.feature,
            }));
        }
    }
}

fn pose(body: &Body) -> Pose {
    let [x, y, z, w] = body.orientation;
    Pose::from_parts(Vector::from_array(body.position), Rotation::from_xyzw(x, y, z, w))
}

fn cuboid(body: &Body) -> Cuboid {
    Cuboid::new(Vector::from_array(body.half_sides))
}

/// The pairs of bodies whose bounding spheres come within the margin, in order.
fn near(bodies: &[Body], margin: f64) -> Vec<(usize, usize)> {
    let middle = |i: usize| Vector::from_array(bodies[i].position);
    let radius = |i: usize| Vector::from_array(bodies[i].half_sides).length();
    let mut order: Vec<usize> = (0..bodies.len()).collect();
    let start = |i: usize| bodies[i].position[0] - radius(i);
    order.sort_by(|&a, &b| start(a).total_cmp(&start(b)));
    let mut pairs = Vec::new();
    for (k, &a) in order.iter().enumerate() {
        let end = bodies[a].position[0] + radius(a) + margin;
        for &b in order[k + 1..].iter().take_while(|&&b| start(b) <= end) {
            if (middle(a) - middle(b)).length() <= radius(a) + radius(b) + margin {
                pairs.push((a.min(b), a.max(b)));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// A contact point in the first body's own axes.
#[derive(Clone, Copy, Debug)]
struct Point {
    place: Vector,
    gap: Real,
    feature: u64,
}

/// The points of a manifold within the margin, each halfway between the two surfaces.
fn points(manifold: &Manifold, between: &Pose, margin: f64) -> Vec<Point> {
    let point = |found: &parry3d_f64::query::TrackedContact<()>| Point {
        place: (found.local_p1 + *between * found.local_p2) * 0.5,
        gap: found.dist,
        feature: (u64::from(found.fid1.0) << 32) | u64::from(found.fid2.0),
    };
    manifold.points.iter().map(point).filter(|point| point.gap <= margin).collect()
}

/// Four of these points that carry what all of them would: the outermost along four directions, and the one with the
/// smallest gap in any case. Two faces meet in up to eight points, and in each corner of equal faces there are two.
fn corners(points: &[Point], normal: Vector) -> Vec<Point> {
    // Along the box's own axes a rectangle's corners would tie; turned by 30° each of the four ways has one of its own.
    let (along, across) = frame(normal);
    let ways = [along * 0.866 + across * 0.5, across * 0.866 - along * 0.5];
    let ways = [ways[0], ways[1], -ways[0], -ways[1]];
    let farthest =
        |way: Vector| (0..points.len()).reduce(|best, i| if ahead(points, way, i, best) { i } else { best });
    let mut chosen: Vec<usize> = Vec::new();
    for found in ways.into_iter().filter_map(farthest) {
        if !chosen.iter().any(|&old| same_place(&points[old], &points[found])) {
            chosen.push(found);
        }
    }
    let deepest = (0..points.len()).reduce(|best, i| if points[i].gap < points[best].gap { i } else { best });
    if let Some(deepest) = deepest
        && chosen.iter().all(|&i| points[i].gap > points[deepest].gap + SHALLOW)
    {
        let distance = |i: usize| (points[i].place - points[deepest].place).length();
        let nearest = (0..chosen.len()).min_by(|&a, &b| distance(chosen[a]).total_cmp(&distance(chosen[b])));
        match nearest.filter(|_| chosen.len() == 4) {
            Some(k) => chosen[k] = deepest,
            None => chosen.push(deepest),
        }
    }
    chosen.into_iter().map(|i| points[i]).collect()
}

/// Gaps that differ by less are alike, metres.
const SHALLOW: Real = 1e-4;

/// Returns true if a point lies farther along than another; of two at the same place it is the first that counts.
fn ahead(points: &[Point], way: Vector, point: usize, than: usize) -> bool {
    let (a, b) = (points[point].place.dot(way), points[than].place.dot(way));
    a > b + 1e-9
}

fn same_place(a: &Point, b: &Point) -> bool {
    (a.place - b.place).length() < 1e-6
}

/// Two directions across the normal, along the box's own axes where the normal is one of them.
fn frame(normal: Vector) -> (Vector, Vector) {
    let n = normal.abs();
    let axis = if n.x <= n.y && n.x <= n.z {
        Vector::X
    } else if n.y <= n.z {
        Vector::Y
    } else {
        Vector::Z
    };
    let along = axis.cross(normal).normalize();
    (along, normal.cross(along))
}

#[cfg(test)]
mod tests;
