//! The streams of a pass, gathered on the stack.

use std::ops::Deref;

use crate::gl::{Texture, UNITS};

/// Textures in the order in which a kernel declares its streams: at least one, no more than a pass can have.
pub(crate) struct Streams<'a> {
    textures: [&'a Texture; UNITS],
    count: usize,
}

impl<'a> Streams<'a> {
    pub fn of(first: &'a Texture) -> Streams<'a> {
        Streams { textures: [first; UNITS], count: 1 }
    }

    /// None past what a pass can have: that is refused when it is drawn.
    pub fn add(mut self, more: impl IntoIterator<Item = &'a Texture>) -> Streams<'a> {
        for (slot, texture) in self.textures[self.count..].iter_mut().zip(more) {
            *slot = texture;
            self.count += 1;
        }
        self
    }
}

impl<'a> Deref for Streams<'a> {
    type Target = [&'a Texture];

    fn deref(&self) -> &[&'a Texture] {
        &self.textures[..self.count]
    }
}
