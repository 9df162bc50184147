//! Groups of bodies that touch one another. The ground moves for nobody, so it connects nobody.

use std::ops::Range;

use super::Contact;

/// Puts the contacts of each group side by side, in the order in which groups first occur and otherwise as they were, and
/// says where each group lies. Contacts of different groups share no body that moves: between them A is 0.
pub fn sort(contacts: &mut [Contact], bodies: usize) -> Vec<Range<usize>> {
    let mut parent: Vec<usize> = (0..bodies).collect();
    for contact in contacts.iter() {
        if let (a, Some(b)) = contact.bodies {
            let (a, b) = (root(&mut parent, a), root(&mut parent, b));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut order = vec![usize::MAX; bodies];
    let mut groups: Vec<Range<usize>> = Vec::new();
    for contact in contacts.iter() {
        let root = root(&mut parent, contact.bodies.0);
        if order[root] == usize::MAX {
            order[root] = groups.len();
            groups.push(0..0);
        }
        groups[order[root]].end += 1;
    }
    contacts.sort_by_key(|contact| order[root(&mut parent, contact.bodies.0)]);
    let mut start = 0;
    for group in &mut groups {
        *group = start..start + group.end;
        start = group.end;
    }
    groups
}

/// The body that stands for all those connected to this one; the way there is halved for the next.
fn root(parent: &mut [usize], mut body: usize) -> usize {
    while parent[body] != body {
        parent[body] = parent[parent[body]];
        body = parent[body];
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(a: usize, b: Option<usize>, feature: u64) -> Contact {
        Contact { bodies: (a, b), point: [0.0; 3], normal: [0.0, 1.0, 0.0], gap: 0.0, feature }
    }

    #[test]
    fn bodies_that_touch_are_a_group_and_the_ground_joins_none() {
        let mut contacts = [
            contact(4, None, 0),
            contact(0, None, 1),
            contact(3, Some(1), 2),
            contact(4, Some(5), 3),
            contact(1, None, 4),
            contact(5, Some(2), 5),
        ];
        let groups = sort(&mut contacts, 7);
        assert_eq!(groups, [0..3, 3..4, 4..6]);
        assert_eq!(contacts.map(|contact| contact.feature), [0, 3, 5, 1, 2, 4]);
    }

    #[test]
    fn no_contacts_make_no_groups() {
        assert_eq!(sort(&mut [], 3), []);
    }
}
