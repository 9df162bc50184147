//! Numbers that look random and are the same in every run.

/// SplitMix64.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// 0 to n − 1.
    ///
    /// # Panics
    /// For n = 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// 0 to 1, without 1; 24 bits.
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1 << 24) as f32
    }

    /// −1 to 1, without 1; 24 bits.
    pub fn signed(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    /// So many of them.
    pub fn floats(&mut self, n: usize) -> Vec<f32> {
        (0..n).map(|_| self.signed()).collect()
    }

    /// 0 to n − 1 in any order.
    pub fn shuffled(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, self.below(i + 1));
        }
        order
    }

    /// `count` different numbers of 0 to n − 1, all sets alike likely (Floyd's algorithm).
    ///
    /// # Panics
    /// For more than n.
    pub fn subset(&mut self, n: usize, count: usize) -> std::collections::BTreeSet<usize> {
        let mut chosen = std::collections::BTreeSet::new();
        for last in n - count..n {
            let any = self.below(last + 1);
            chosen.insert(if chosen.contains(&any) { last } else { any });
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subset_has_as_many_as_asked_for() {
        let mut random = Random(1);
        for (n, count) in [(1, 0), (1, 1), (5, 5), (300, 7), (1000, 300)] {
            let subset = random.subset(n, count);
            assert!(subset.len() == count && subset.iter().all(|&i| i < n), "{count} of {n}");
        }
    }
}
