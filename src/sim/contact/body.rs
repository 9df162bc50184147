//! One rigid box: where it is, how it moves, and what it costs to change that.

use super::vec3::{self, Mat3, Vec3, add, apply, apply_transposed, cross, dot, mad, scaled, times};
use crate::{Error, Result};

/// A rigid box of even density. Metres, kilograms, seconds; y points up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// The position of its middle, which is its centre of mass.
    pub position: [f64; 3],
    /// The unit quaternion (x, y, z, w) that turns the box's own axes into the world's.
    pub orientation: [f64; 4],
    /// The velocity of its middle.
    pub velocity: [f64; 3],
    /// Radians a second about the world's axes.
    pub angular_velocity: [f64; 3],
    /// Half of its width, height and depth along its own axes.
    pub half_sides: [f64; 3],
    /// Kilograms.
    pub mass: f64,
}

impl Body {
    /// A cube at rest that stands straight.
    pub fn cube(edge: f64, mass: f64, position: [f64; 3]) -> Body {
        Body {
            position,
            orientation: [0.0, 0.0, 0.0, 1.0],
            velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            half_sides: [edge / 2.0; 3],
            mass,
        }
    }

    /// Checks that it is a box with a mass, somewhere.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for sides or a mass that are not above 0, a quaternion whose length is not 1 within 10⁻⁶,
    /// and numbers that are not finite.
    pub fn check(&self) -> Result<()> {
        let bad = |name, found: String, expected: &str| {
            Err(Error::BadParameter { name, found, expected: expected.to_owned() })
        };
        let finite = |v: [f64; 3]| v.iter().all(|x| x.is_finite());
        if !(finite(self.half_sides) && self.half_sides.iter().all(|&side| side > 0.0)) {
            return bad("half sides", format!("{:?}", self.half_sides), "three numbers above 0");
        }
        if !(self.mass > 0.0 && self.mass.is_finite()) {
            return bad("mass", self.mass.to_string(), "above 0");
        }
        let length = self.orientation.iter().map(|x| x * x).sum::<f64>().sqrt();
        let is_unit = (length - 1.0).abs() <= 1e-6; // and a NaN is not
        if !is_unit {
            return bad("orientation", format!("{:?}", self.orientation), "a quaternion of length 1");
        }
        for (name, vector) in [
            ("position", self.position),
            ("velocity", self.velocity),
            ("angular velocity", self.angular_velocity),
        ] {
            if !finite(vector) {
                return bad(name, format!("{vector:?}"), "three finite numbers");
            }
        }
        Ok(())
    }

    /// The rotation matrix: from the box's own axes to the world's.
    pub fn rotation(&self) -> [[f64; 3]; 3] {
        vec3::rotation(self.orientation)
    }

    /// The moments of inertia about its own axes: m (b² + c²) / 3 with the half sides b and c across each.
    pub fn moments(&self) -> [f64; 3] {
        let [x, y, z] = times(self.half_sides, self.half_sides);
        [y + z, x + z, x + y].map(|sum| self.mass * sum / 3.0)
    }

    /// The eight corners in the world; bit k of a corner's number says on which side of axis k it lies.
    pub fn corners(&self) -> [[f64; 3]; 8] {
        let rotation = self.rotation();
        std::array::from_fn(|corner| {
            let side = |k: usize| if corner >> k & 1 == 1 { self.half_sides[k] } else { -self.half_sides[k] };
            add(self.position, apply(&rotation, [side(0), side(1), side(2)]))
        })
    }

    /// The velocity of the point of the box that is there now.
    pub fn velocity_at(&self, point: [f64; 3]) -> [f64; 3] {
        let arm = vec3::sub(point, self.position);
        add(self.velocity, cross(self.angular_velocity, arm))
    }

    /// I ω in the world.
    pub fn spin(&self) -> [f64; 3] {
        let rotation = self.rotation();
        apply(&rotation, times(self.moments(), apply_transposed(&rotation, self.angular_velocity)))
    }

    /// ½ m v² + ½ ω·I ω, in joules.
    pub fn kinetic_energy(&self) -> f64 {
        0.5 * (self.mass * dot(self.velocity, self.velocity) + dot(self.angular_velocity, self.spin()))
    }

    /// An impulse (newton seconds) at a point of the world.
    pub fn push(&mut self, point: [f64; 3], impulse: [f64; 3]) {
        let arm = vec3::sub(point, self.position);
        self.velocity = mad(self.velocity, 1.0 / self.mass, impulse);
        self.angular_velocity = add(self.angular_velocity, Inertia::of(self).turned_by(cross(arm, impulse)));
    }

    /// Moves and turns freely for that long, without a force: position += h v, and a turn after which the angular
    /// momentum and the kinetic energy are what they were.
    ///
    /// In the box's own axes the angular momentum Π obeys Π̇ = Π × W, W = J⁻¹ Π. The midpoint rule
    /// Π' − Π = −h W̄ × (Π + Π')/2 with W̄ = J⁻¹ (Π + Π')/2 is the Cayley rotation by h W̄, so that ‖Π'‖ = ‖Π‖, and multiplied
    /// by W̄ it says that the energy ½ Π·J⁻¹Π stays. Turning the box by the same rotation keeps Π fixed in the world.
    pub(super) fn drift(&mut self, h: f64) {
        self.position = mad(self.position, h, self.velocity);
        let (rotation, moments, spin) = (self.rotation(), self.moments(), self.spin());
        let own_spin = apply_transposed(&rotation, spin);
        let over = |v: Vec3| [v[0] / moments[0], v[1] / moments[1], v[2] / moments[2]];
        let mut turning = over(own_spin);
        for _ in 0..50 {
            let after = unturned(own_spin, turning, h);
            let next = over(scaled(add(own_spin, after), 0.5));
            let change = vec3::norm(vec3::sub(next, turning));
            turning = next;
            if change <= 1e-15 * vec3::norm(turning) {
                break;
            }
        }
        self.orientation =
            vec3::unit_quaternion(vec3::quaternion_product(self.orientation, cayley(turning, h)));
        self.angular_velocity = Inertia::of(self).turned_by(spin);
    }
}

/// The quaternion of the Cayley rotation by h W: (h W / 2, 1), made a unit.
fn cayley(turning: Vec3, h: f64) -> [f64; 4] {
    let [x, y, z] = scaled(turning, 0.5 * h);
    vec3::unit_quaternion([x, y, z, 1.0])
}

/// v, seen from axes that were turned by the Cayley rotation by h W.
fn unturned(v: Vec3, turning: Vec3, h: f64) -> Vec3 {
    apply_transposed(&vec3::rotation(cayley(turning, h)), v)
}

/// The inverse inertia of a box as it lies: 1/m and I⁻¹ in the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inertia {
    pub over_mass: f64,
    inverse: Mat3,
}

impl Inertia {
    /// R J⁻¹ Rᵀ
    pub fn of(body: &Body) -> Inertia {
        let (rotation, moments) = (body.rotation(), body.moments());
        let inverse = std::array::from_fn(|i| {
            std::array::from_fn(|j| (0..3).map(|k| rotation[i][k] * rotation[j][k] / moments[k]).sum())
        });
        Inertia { over_mass: 1.0 / body.mass, inverse }
    }

    /// I⁻¹ v: the change of angular velocity by an angular impulse.
    pub fn turned_by(&self, v: Vec3) -> Vec3 {
        apply(&self.inverse, v)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brick() -> Body {
        let mut brick = Body::cube(1.0, 3.0, [1.0, 2.0, 3.0]);
        brick.half_sides = [0.2, 0.5, 1.1];
        brick.orientation = vec3::unit_quaternion([0.3, -0.2, 0.5, 0.9]);
        brick.angular_velocity = [3.0, -7.0, 2.0];
        brick
    }

    /// No axis of this box is a stable one to turn about, and it turns by a tenth of a radian a step.
    #[test]
    fn a_tumbling_brick_keeps_its_angular_momentum_and_energy() {
        let mut body = brick();
        let (spin, energy) = (body.spin(), body.kinetic_energy());
        for _ in 0..1000 {
            body.drift(1.0 / 60.0);
        }
        // A thousand steps of some ten roundings of 2⁻⁵³ each, by moments whose ratio is 5.
        assert!(vec3::norm(vec3::sub(body.spin(), spin)) < 5e-12 * vec3::norm(spin));
        let change = (body.kinetic_energy() - energy).abs() / energy;
        assert!(change < 5e-12, "{change}");
    }

    #[test]
    fn half_the_step_leaves_a_quarter_of_the_error_of_a_turn() {
        let end = |steps: usize| {
            let mut body = brick();
            (0..steps).for_each(|_| body.drift(0.5 / steps as f64));
            body.corners()[7]
        };
        let exact = end(4096);
        let error = |steps| vec3::norm(vec3::sub(end(steps), exact));
        let ratio = error(64) / error(128);
        assert!((3.8..4.2).contains(&ratio), "{ratio}");
    }

    #[test]
    fn a_push_gives_its_impulse_and_its_moment() {
        let mut body = brick();
        let (spin, point, impulse) = (body.spin(), [1.3, 2.2, 2.5], [0.7, -0.1, 0.4]);
        body.push(point, impulse);
        let moment = cross(vec3::sub(point, body.position), impulse);
        assert!(vec3::norm(vec3::sub(vec3::sub(body.spin(), spin), moment)) < 1e-13);
        assert!(vec3::norm(vec3::sub(scaled(body.velocity, body.mass), impulse)) < 1e-15);
    }

    #[test]
    fn bodies_that_are_none_are_refused() {
        let good = brick();
        let bad = [
            Body { mass: 0.0, ..good },
            Body { mass: f64::NAN, ..good },
            Body { half_sides: [1.0, 0.0, 1.0], ..good },
            Body { orientation: [0.0; 4], ..good },
            Body { position: [f64::INFINITY, 0.0, 0.0], ..good },
            Body { velocity: [f64::NAN; 3], ..good },
        ];
        assert!(good.check().is_ok() && bad.iter().all(|body| body.check().is_err()));
    }
}
