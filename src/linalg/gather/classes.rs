//! Classes of rows of similar length, which share a rectangle and are drawn together. No GPU here.

use super::Costs;

/// Groups of four rows, and the slots that all of them get: those of the longest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Class {
    pub groups: usize,
    pub slots: usize,
}

/// How often each length occurs, the longest first.
fn runs(lengths: &[usize]) -> Vec<Class> {
    let mut runs: Vec<Class> = Vec::new();
    for &slots in lengths {
        match runs.last_mut() {
            Some(run) if run.slots == slots => run.groups += 1,
            _ => runs.push(Class { groups: 1, slots }),
        }
    }
    runs
}

/// Cuts the lengths of groups, the longest first, into classes of the least cost together: each class costs a pass, and
/// its longest length for each of its groups.
///
/// Cheapest cut of the first j runs: c(j) = min over i < j of c(i) + pass + (groups of runs i to j)·(slots of run i).
pub(super) fn classes(lengths: &[usize], costs: &Costs) -> Vec<Class> {
    let runs = runs(lengths);
    let mut before = vec![0; runs.len() + 1]; // groups in the runs before each
    for (i, run) in runs.iter().enumerate() {
        before[i + 1] = before[i] + run.groups;
    }
    let mut best = vec![(0.0, 0); runs.len() + 1];
    for j in 1..=runs.len() {
        let cost = |i: usize| best[i].0 + costs.class(before[j] - before[i], runs[i].slots);
        let cheapest = (0..j).map(|i| (cost(i), i)).min_by(|a, b| a.0.total_cmp(&b.0));
        best[j] = cheapest.unwrap_or((0.0, 0));
    }
    let mut classes = Vec::new();
    let mut end = runs.len();
    while end > 0 {
        let start = best[end].1;
        classes.push(Class { groups: before[end] - before[start], slots: runs[start].slots });
        end = start;
    }
    classes.reverse();
    classes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_length_is_one_class_and_no_rows_are_none() {
        assert_eq!(classes(&[7; 40], &Costs::default()), [Class { groups: 40, slots: 7 }]);
        assert_eq!(classes(&[], &Costs::default()), []);
    }

    #[test]
    fn few_groups_share_a_class_and_many_get_their_own() {
        let few: Vec<usize> = (1..=9).rev().collect();
        assert_eq!(classes(&few, &Costs::default()), [Class { groups: 9, slots: 9 }]);
        let mut lengths = vec![5000];
        lengths.extend(std::iter::repeat_n(8, 60_000).chain(std::iter::repeat_n(2, 90_000)));
        let expected = [(1, 5000), (60_000, 8), (90_000, 2)].map(|(groups, slots)| Class { groups, slots });
        assert_eq!(classes(&lengths, &Costs::default()), expected);
    }

    #[test]
    fn dear_passes_make_fewer_classes() {
        let lengths: Vec<usize> = (1..=300).rev().flat_map(|slots| vec![slots; 1000]).collect();
        let number = |pass| classes(&lengths, &Costs { pass, ..Costs::default() }).len();
        assert_eq!(number(0.0), 300);
        assert!(number(1e5) > number(1e7) && number(1e12) == 1);
    }
}
