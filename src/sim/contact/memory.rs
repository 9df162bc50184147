//! The impulses of the last step, from which the next one's solve starts.

use super::vec3::{Vec3, add, apply_transposed, dot, mad, norm, scaled, sub, tangents};
use super::{Body, Contact};

/// The impulses of one contact in the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impulse {
    /// As [`Contact::bodies`].
    pub bodies: (usize, Option<usize>),
    /// As [`Contact::feature`].
    pub feature: u64,
    /// Where, in the first body's own axes, metres.
    pub place: [f64; 3],
    /// Along the contact's normal, newton seconds.
    pub normal: f64,
    /// Across it, newton seconds.
    pub friction: [f64; 3],
}

/// The last step's contacts, ordered by their bodies.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    entries: Vec<Impulse>,
}

fn place(contact: &Contact, bodies: &[Body]) -> Vec3 {
    let body = &bodies[contact.bodies.0];
    apply_transposed(&body.rotation(), sub(contact.point, body.position))
}

impl Memory {
    /// Remembers what each contact did: `per` impulses of each, the normal one first.
    pub fn keep(contacts: &[Contact], impulses: &[f64], per: usize, bodies: &[Body]) -> Memory {
        let entry = |(contact, impulse): (&Contact, &[f64])| {
            let [first, second] = tangents(contact.normal);
            let friction = match impulse {
                [_, along, across] => add(scaled(first, *along), scaled(second, *across)),
                _ => [0.0; 3],
            };
            let (bodies, feature, place) = (contact.bodies, contact.feature, place(contact, bodies));
            Impulse { bodies, feature, place, normal: impulse[0], friction }
        };
        let mut entries: Vec<Impulse> = contacts.iter().zip(impulses.chunks(per)).map(entry).collect();
        entries.sort_by_key(|entry| entry.bodies);
        Memory { entries }
    }

    /// These impulses.
    pub fn of(mut entries: Vec<Impulse>) -> Memory {
        entries.sort_by_key(|entry| entry.bodies);
        Memory { entries }
    }

    /// All of them, by their bodies.
    pub fn impulses(&self) -> &[Impulse] {
        &self.entries
    }

    /// For each contact the impulses that it, or one close by between the same bodies, had in the last step; 0 for one that
    /// is new. Close by is within `near` metres. Nothing is given out twice.
    pub fn recall(&self, contacts: &[Contact], per: usize, bodies: &[Body], near: f64) -> Vec<f64> {
        let mut impulses = vec![0.0; per * contacts.len()];
        let mut taken = vec![false; self.entries.len()];
        let mut left = Vec::new();
        for (k, contact) in contacts.iter().enumerate() {
            let same =
                self.of_pair(contact).find(|&e| !taken[e] && self.entries[e].feature == contact.feature);
            match same {
                Some(e) => self.give(e, contact, &mut taken, &mut impulses[per * k..per * (k + 1)]),
                None => left.push(k),
            }
        }
        for k in left {
            let (contact, here) = (&contacts[k], place(&contacts[k], bodies));
            let distance = |e: usize| norm(sub(self.entries[e].place, here));
            let nearest = self
                .of_pair(contact)
                .filter(|&e| !taken[e] && distance(e) <= near)
                .min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
            if let Some(e) = nearest {
                self.give(e, contact, &mut taken, &mut impulses[per * k..per * (k + 1)]);
            }
        }
        impulses
    }

    fn of_pair(&self, contact: &Contact) -> std::ops::Range<usize> {
        let start = self.entries.partition_point(|entry| entry.bodies < contact.bodies);
        let end = self.entries.partition_point(|entry| entry.bodies <= contact.bodies);
        start..end
    }

    fn give(&self, e: usize, contact: &Contact, taken: &mut [bool], impulses: &mut [f64]) {
        taken[e] = true;
        let entry = &self.entries[e];
        impulses[0] = entry.normal;
        let flat = mad(entry.friction, -dot(entry.friction, contact.normal), contact.normal);
        for (impulse, tangent) in impulses[1..].iter_mut().zip(tangents(contact.normal)) {
            *impulse = dot(flat, tangent);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(b: Option<usize>, x: f64, feature: u64) -> Contact {
        Contact { bodies: (0, b), point: [x, 0.0, 0.0], normal: [0.0, 1.0, 0.0], gap: 0.0, feature }
    }

    #[test]
    fn impulses_are_found_by_feature_then_by_place_and_only_once() {
        let bodies = [Body::cube(1.0, 1.0, [0.0; 3])];
        let old = [contact(None, 0.0, 1), contact(None, 1.0, 2), contact(Some(3), 0.0, 1)];
        let memory = Memory::keep(&old, &[1.0, 0.1, 0.2, 2.0, 0.3, 0.4, 3.0, 0.5, 0.6], 3, &bodies);
        // The first has moved but kept its name, the second is another corner in the old place, the third is new.
        let new = [contact(None, 0.9, 1), contact(None, 1.01, 9), contact(None, 1.02, 8)];
        let found = memory.recall(&new, 3, &bodies, 0.1);
        let expected = [1.0, 0.1, 0.2, 2.0, 0.3, 0.4, 0.0, 0.0, 0.0];
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{found:?}");
        assert_eq!(memory.recall(&new[..1], 1, &bodies, 0.1), [1.0]);
    }
}
