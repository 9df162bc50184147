//! The pool of idle textures, kept for the next user of their shape.
//!
//! A dropped texture waits for the next request of its shape. The pool holds a limited number of bytes; the texture
//! that has been idle for the longest is deleted first.
//!
//! # References
//! Krüger & Westermann, GPU Gems 2 ch. 44: the texture memory manager that intermediates are drawn from.

use std::collections::{HashMap, HashSet, VecDeque};

use super::Shape;
use super::texture::Storage;

/// Bytes of idle textures kept unless the user says otherwise.
const BUDGET: u64 = 256 << 20;

pub(super) struct Pool {
    /// Oldest first, each with its return's number; the newest, which may still be in some cache, is given out first.
    idle: HashMap<Shape, VecDeque<(u64, Storage)>>,
    /// Returns by their number, oldest first; those taken since are skipped.
    order: VecDeque<(Shape, u64)>,
    returns: u64,
    count: usize,
    bytes: u64,
    budget: u64,
}

impl Default for Pool {
    fn default() -> Pool {
        Pool { idle: HashMap::new(), order: VecDeque::new(), returns: 0, count: 0, bytes: 0, budget: BUDGET }
    }
}

impl Pool {
    pub fn take(&mut self, shape: Shape) -> Option<Storage> {
        let (_, storage) = self.idle.get_mut(&shape)?.pop_back()?;
        self.count -= 1;
        self.bytes -= shape.cost();
        Some(storage)
    }

    /// Keeps the texture; the caller deletes those that no longer fit the budget.
    pub fn give(&mut self, storage: Storage) -> Vec<Storage> {
        self.count += 1;
        self.bytes += storage.shape.cost();
        self.returns += 1;
        self.idle.entry(storage.shape).or_default().push_back((self.returns, storage));
        self.order.push_back((storage.shape, self.returns));
        if self.order.len() > 64 && self.order.len() > 4 * self.count {
            self.forget_taken();
        }
        self.trim(self.budget)
    }

    /// Takes out the textures that were idle longest until at most that many bytes are left: a few steps for each of
    /// them.
    pub fn trim(&mut self, bytes: u64) -> Vec<Storage> {
        let mut evicted = Vec::new();
        while self.bytes > bytes {
            let Some((shape, number)) = self.order.pop_front() else { break };
            let Some(same) = self.idle.get_mut(&shape) else { continue };
            // All older ones of the shape have gone, so it is the first or was taken.
            if same.front().is_some_and(|(returned, _)| *returned == number)
                && let Some((_, storage)) = same.pop_front()
            {
                evicted.push(storage);
                self.count -= 1;
                self.bytes -= shape.cost();
            }
            if same.is_empty() {
                self.idle.remove(&shape);
            }
        }
        evicted
    }

    /// Keeps the returns of textures that are still idle.
    fn forget_taken(&mut self) {
        let waiting: HashSet<u64> = self.idle.values().flatten().map(|(number, _)| *number).collect();
        self.order.retain(|(_, number)| waiting.contains(number));
        self.idle.retain(|_, same| !same.is_empty());
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn budget(&self) -> u64 {
        self.budget
    }

    pub fn set_budget(&mut self, bytes: u64) {
        self.budget = bytes;
    }

    pub fn delete_all(&mut self, gl: &glow::Context) {
        use glow::HasContext;
        for storage in self.trim(0) {
            // SAFETY: idle textures belong to nobody else, and the context is current.
            unsafe {
                gl.delete_framebuffer(storage.framebuffer);
                gl.delete_texture(storage.texture);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;
    use std::time::{Duration, Instant};

    use super::super::Format;
    use super::*;

    /// A storage of names that no driver has given.
    fn idle(number: u32, width: u32) -> Storage {
        let name = NonZeroU32::MIN.saturating_add(number);
        Storage {
            texture: glow::NativeTexture(name),
            framebuffer: glow::NativeFramebuffer(name),
            shape: Shape { width, height: 1, format: Format::R32F },
            serial: number.into(),
        }
    }

    /// By a search for each it would be ten thousand million steps: minutes, where this takes hundredths of a second.
    #[test]
    fn a_pool_of_many_is_filled_and_emptied_in_linear_time() {
        let widths: [fn(u32) -> u32; 2] = [|_| 1, |number| number + 1];
        for width in widths {
            let (mut pool, started) = (Pool { budget: u64::MAX, ..Pool::default() }, Instant::now());
            let many = 200_000;
            for number in 0..many {
                assert!(pool.give(idle(number, width(number))).is_empty());
            }
            let order: Vec<u64> = pool.trim(0).iter().map(|storage| storage.serial).collect();
            assert!(order == (0..u64::from(many)).collect::<Vec<_>>(), "those idle longest go first");
            assert_eq!((pool.bytes(), pool.count, pool.idle.len()), (0, 0, 0));
            assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
        }
    }

    #[test]
    fn what_was_taken_is_skipped_and_comes_back_as_the_newest() {
        let mut pool = Pool::default();
        for number in 0..3 {
            pool.give(idle(number, 1));
        }
        let shape = idle(0, 1).shape;
        assert_eq!(pool.take(shape).map(|storage| storage.serial), Some(2), "the newest");
        pool.give(idle(3, 1));
        let taken = [pool.take(shape), pool.take(shape)].map(|storage| storage.map(|s| s.serial));
        assert_eq!(taken, [Some(3), Some(1)]);
        pool.give(idle(1, 1));
        let serials = |evicted: Vec<Storage>| evicted.iter().map(|s| s.serial).collect::<Vec<_>>();
        assert_eq!(serials(pool.trim(shape.cost())), [0]);
        assert_eq!(serials(pool.trim(0)), [1]);
        assert!(pool.take(shape).is_none());
    }
}
