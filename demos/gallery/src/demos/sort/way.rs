//! The way of one key through the network, found on the CPU by the same exchanges.

use quadrille_oracle::streams::{bitonic, comes_later, exchange};

/// A key and its places: before the first exchange that is known, and after each.
#[derive(Clone, Debug, PartialEq)]
pub struct Way {
    pub key: f32,
    /// The exchanges that lie behind the first place.
    pub from: usize,
    pub places: Vec<usize>,
}

impl Way {
    /// The way of the key that lies at `at` after `done` exchanges, of keys that lay as `keys` after `from` of them.
    pub fn of(mut keys: Vec<f32>, from: usize, done: usize, at: usize) -> Option<Way> {
        let masks = bitonic(keys.len().next_power_of_two().max(4));
        let mut then = keys.clone();
        let mut came_from: Vec<usize> = (0..keys.len()).collect();
        for mask in masks.get(from..done)? {
            for i in 0..then.len() {
                let j = i ^ mask;
                if i < j && j < then.len() && comes_later(then[i], then[j]) {
                    then.swap(i, j);
                    came_from.swap(i, j);
                }
            }
        }
        let key = *then.get(at)?;
        let mut place = came_from[at];
        let mut places = vec![place];
        for mask in masks.get(from..)? {
            let other = place ^ mask;
            exchange(&mut keys, *mask);
            if keys[place] != key {
                place = other;
            }
            places.push(place);
        }
        Some(Way { key, from, places })
    }

    /// The place after so many exchanges; the first one before any that are known.
    pub fn at(&self, done: usize) -> usize {
        let last = self.places.len() - 1;
        self.places[done.saturating_sub(self.from).min(last)]
    }

    /// The place in the end.
    pub fn last(&self) -> usize {
        self.at(usize::MAX)
    }

    /// How many of the first `done` exchanges have moved it.
    #[cfg(any(feature = "panel", test))]
    pub fn moves(&self, done: usize) -> usize {
        let known = done.saturating_sub(self.from).min(self.places.len() - 1);
        self.places[..=known].windows(2).filter(|pair| pair[0] != pair[1]).count()
    }
}

#[cfg(test)]
mod tests {
    use quadrille::numeric::Random;

    use super::*;

    #[test]
    fn a_key_is_where_its_way_says_after_each_exchange() {
        for len in [1, 2, 4, 7, 31, 64, 100] {
            let first: Vec<f32> = Random(3).shuffled(len).into_iter().map(|n| n as f32).collect();
            let masks = bitonic(len.next_power_of_two().max(4));
            for (done, at) in [(0, 0), (masks.len() / 2, len / 2), (masks.len(), len - 1)] {
                let mut keys = first.clone();
                masks[..done].iter().for_each(|mask| exchange(&mut keys, *mask));
                let key = keys[at];
                let way = Way::of(first.clone(), 0, done, at);
                let Some(way) = way else { unreachable!("{at} of {len}") };
                assert_eq!((way.key, way.at(done)), (key, at), "{len}");
                let mut keys = first.clone();
                assert_eq!(keys[way.at(0)], key);
                for (exchange_number, mask) in masks.iter().enumerate() {
                    exchange(&mut keys, *mask);
                    assert_eq!(keys[way.at(exchange_number + 1)], key, "{len}: {exchange_number}");
                }
                // Sorted: its place is its number.
                assert_eq!(way.last(), key as usize);
            }
        }
    }

    /// Equal keys do not change places: the one that is pressed on is the one that is followed.
    #[test]
    fn of_equal_keys_it_is_the_one_at_that_place() {
        let keys: Vec<f32> = Random(2).shuffled(60).into_iter().map(|n| (n % 3) as f32).collect();
        for at in 0..60 {
            assert_eq!(Way::of(keys.clone(), 0, 10, at).map(|way| way.at(10)), Some(at));
        }
    }

    /// From the middle of the network on it is the same way.
    #[test]
    fn a_way_that_is_known_from_the_middle_on_ends_alike() {
        let mut keys: Vec<f32> = Random(5).shuffled(50).into_iter().map(|n| n as f32).collect();
        let whole = Way::of(keys.clone(), 0, 0, 17);
        let masks = bitonic(64);
        masks[..9].iter().for_each(|mask| exchange(&mut keys, *mask));
        let (Some(whole), at) = (whole, |way: &Way| way.at(9)) else { unreachable!("17 of 50") };
        let Some(part) = Way::of(keys, 9, 9, at(&whole)) else { unreachable!("17 of 50") };
        assert_eq!(part.key, whole.key);
        assert_eq!(part.places, whole.places[9..]);
        assert_eq!(part.moves(usize::MAX) + whole.moves(9), whole.moves(usize::MAX));
    }
}
