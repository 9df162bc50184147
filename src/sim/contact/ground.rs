//! Contacts of boxes with the floor at y = 0, which need no library.

use super::{Body, Contact};

/// The contacts of one body with the ground: its lowest corners that are at most `margin` above it, four at most.
pub fn ground_contacts(number: usize, body: &Body, margin: f64, out: &mut Vec<Contact>) {
    let corners = body.corners();
    let mut low: Vec<usize> = (0..8).filter(|&corner| corners[corner][1] <= margin).collect();
    low.sort_by(|&a, &b| corners[a][1].total_cmp(&corners[b][1]));
    low.truncate(4);
    low.sort_unstable();
    out.extend(low.into_iter().map(|corner| {
        let [x, gap, z] = corners[corner];
        Contact {
            bodies: (number, None),
            point: [x, gap / 2.0, z],
            normal: [0.0, 1.0, 0.0],
            gap,
            feature: corner as u64,
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::contact::vec3::unit_quaternion;

    fn found(body: &Body, margin: f64) -> Vec<Contact> {
        let mut out = Vec::new();
        ground_contacts(7, body, margin, &mut out);
        out
    }

    #[test]
    fn a_standing_cube_touches_with_the_four_corners_below() {
        let contacts = found(&Body::cube(1.0, 1.0, [3.0, 0.49, 4.0]), 0.01);
        let corners: Vec<u64> = contacts.iter().map(|contact| contact.feature).collect();
        assert_eq!(corners, [0, 1, 4, 5]);
        for contact in contacts {
            assert!((contact.gap + 0.01).abs() < 1e-15 && contact.bodies == (7, None));
            assert!((contact.point[0] - 3.0).abs() == 0.5 && (contact.point[2] - 4.0).abs() == 0.5);
        }
    }

    #[test]
    fn a_cube_in_the_air_touches_nothing_and_one_on_its_edge_two_corners() {
        assert!(found(&Body::cube(1.0, 1.0, [0.0, 0.52, 0.0]), 0.01).is_empty());
        let mut tilted = Body::cube(1.0, 1.0, [0.0, 0.5f64.sqrt(), 0.0]);
        tilted.orientation = unit_quaternion([(std::f64::consts::PI / 8.0).tan(), 0.0, 0.0, 1.0]);
        assert_eq!(found(&tilted, 0.01).len(), 2);
        assert_eq!(found(&tilted, 10.0).len(), 4);
    }
}
