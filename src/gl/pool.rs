//! Idle textures, kept for the next one who asks for their shape.
//!
//! # References
//! Krüger & Westermann, GPU Gems 2 ch. 44: the texture memory manager that intermediates are drawn from.

use std::collections::{HashMap, HashSet, VecDeque};

use super::Shape;
use super::texture::Storage;

/// Bytes of idle textures kept unless the user says otherwise.
const BUDGET: u64 = 256 << 20;

pub(super) struct Pool {
    /// Newest last, so that a texture still in some cache is given out first; each with its return's number.
    idle: HashMap<Shape, Vec<(u64, Storage)>>,
    /// Returns by their number, oldest first; those taken since are skipped.
    order: VecDeque<(Shape, u64)>,
    returns: u64,
    bytes: u64,
    budget: u64,
}

impl Default for Pool {
    fn default() -> Pool {
        Pool { idle: HashMap::new(), order: VecDeque::new(), returns: 0, bytes: 0, budget: BUDGET }
    }
}

impl Pool {
    pub fn take(&mut self, shape: Shape) -> Option<Storage> {
        let (_, storage) = self.idle.get_mut(&shape)?.pop()?;
        self.bytes -= shape.bytes();
        Some(storage)
    }

    /// Keeps the texture; whoever calls deletes those that no longer fit the budget.
    pub fn give(&mut self, storage: Storage) -> Vec<Storage> {
        self.bytes += storage.shape.bytes();
        self.returns += 1;
        self.idle.entry(storage.shape).or_default().push((self.returns, storage));
        self.order.push_back((storage.shape, self.returns));
        if self.order.len() > 64 && self.order.len() > 4 * self.idle.values().map(Vec::len).sum::<usize>() {
            self.forget_taken();
        }
        self.trim(self.budget)
    }

    pub fn trim(&mut self, bytes: u64) -> Vec<Storage> {
        let mut evicted = Vec::new();
        while self.bytes > bytes {
            let Some((shape, number)) = self.order.pop_front() else { break };
            let Some(same) = self.idle.get_mut(&shape) else { continue };
            if let Some(position) = same.iter().position(|(returned, _)| *returned == number) {
                evicted.push(same.remove(position).1);
                self.bytes -= shape.bytes();
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
