//! Idle textures, kept for the next one who asks for their shape.
//!
//! # References
//! Krüger & Westermann, GPU Gems 2 ch. 44: the texture memory manager that intermediates are drawn from.

use std::collections::{HashMap, VecDeque};

use super::texture::{Shape, Storage};

/// Bytes of idle textures kept unless the user says otherwise.
const BUDGET: u64 = 256 << 20;

pub(super) struct Pool {
    /// Newest last, so that a texture still in some cache is given out first.
    idle: HashMap<Shape, Vec<Storage>>,
    /// Serials of idle textures by the time of their return, oldest first; entries taken since are skipped.
    order: VecDeque<(Shape, u64)>,
    bytes: u64,
    budget: u64,
}

impl Default for Pool {
    fn default() -> Pool {
        Pool { idle: HashMap::new(), order: VecDeque::new(), bytes: 0, budget: BUDGET }
    }
}

impl Pool {
    pub fn take(&mut self, shape: Shape) -> Option<Storage> {
        let storage = self.idle.get_mut(&shape)?.pop()?;
        self.bytes -= shape.bytes();
        Some(storage)
    }

    /// Keeps the texture; whoever calls deletes those that no longer fit the budget.
    pub fn give(&mut self, storage: Storage) -> Vec<Storage> {
        self.bytes += storage.shape.bytes();
        self.idle.entry(storage.shape).or_default().push(storage);
        self.order.push_back((storage.shape, storage.serial));
        if self.order.len() > 64 && self.order.len() > 4 * self.idle.values().map(Vec::len).sum::<usize>() {
            self.forget_taken();
        }
        self.trim(self.budget)
    }

    pub fn trim(&mut self, bytes: u64) -> Vec<Storage> {
        let mut evicted = Vec::new();
        while self.bytes > bytes {
            let Some((shape, serial)) = self.order.pop_front() else { break };
            let Some(same) = self.idle.get_mut(&shape) else { continue };
            if let Some(position) = same.iter().position(|s| s.serial == serial) {
                evicted.push(same.remove(position));
                self.bytes -= shape.bytes();
            }
            if same.is_empty() {
                self.idle.remove(&shape);
            }
        }
        evicted
    }

    /// Keeps one entry, the newest, for each texture that is idle now.
    fn forget_taken(&mut self) {
        let mut waiting: HashMap<u64, Shape> =
            self.idle.values().flatten().map(|storage| (storage.serial, storage.shape)).collect();
        let newest_first = self.order.drain(..).rev().collect::<Vec<_>>();
        for (shape, serial) in newest_first {
            if waiting.remove(&serial).is_some() {
                self.order.push_front((shape, serial));
            }
        }
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
