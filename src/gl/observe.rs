//! The hook of observers: a context tells one of scopes, passes, and what else moves texels. The one observer is `trace`.

use std::fmt::Display;
use std::rc::Rc;

use super::linked::{Bound, Constants, Linked};
use super::{Blend, Context, Geometry, Mask, Rect, Texture};
use crate::Result;

/// Is told of everything that a context does, in order. It may read textures by [`Texture::peek`], and draws nothing.
pub(crate) trait Observer {
    /// A named part of the computation begins.
    fn opens(&self, name: &dyn Display);

    /// The newest part that is open ends.
    fn closes(&self);

    /// A pass is sound and about to be drawn. Returns true if its fragments are to be tallied in a texture as large as its targets,
    /// which it must have then.
    ///
    /// # Errors
    /// Those of reading textures; then nothing is drawn.
    fn before(&self, pass: &Drawn) -> Result<bool>;

    /// That pass is drawn. Of a tally each fragment that passed has left 255/256.
    ///
    /// # Errors
    /// Those of reading textures, and what the observer stops at.
    fn after(&self, pass: &Drawn, tally: Option<&Texture>) -> Result<()>;

    /// Something that is no pass has been done.
    fn saw(&self, context: &Context, event: Event);
}

/// A pass that is drawn, with all its parts.
pub(crate) struct Drawn<'a> {
    pub context: &'a Context,
    pub kernel: &'a Rc<Linked>,
    pub streams: &'a [Bound<'a>],
    pub constants: Constants<'a>,
    /// Unsaid, every domain is the range.
    pub domains: Option<&'a [[f32; 4]]>,
    pub range: Rect,
    /// None of them for a framebuffer of somebody else's.
    pub targets: &'a [&'a Texture],
    pub blend: Blend,
    pub mask: Option<(Mask, f32)>,
    pub geometry: Geometry<'a>,
}

/// An act of a context beside passes.
pub(crate) enum Event<'a> {
    Uploaded {
        texture: &'a Texture,
        region: Rect,
    },
    UploadedVertices {
        values: usize,
    },
    Cleared {
        texture: &'a Texture,
    },
    Copied {
        from: &'a Texture,
        to: &'a Texture,
        region: Rect,
        at: (u32, u32),
    },
    /// Numbers of a texture became vertices.
    Filled {
        from: &'a Texture,
        values: usize,
    },
    Read {
        texture: &'a Texture,
        region: Rect,
        waits: bool,
    },
    Compiled {
        kernel: &'a Rc<Linked>,
    },
    /// A texture was asked for: it came from the pool, or was made.
    Taken {
        pooled: bool,
    },
}

/// A named part of a computation, until it is dropped: where an observer is, what is done meanwhile lies in it.
#[must_use = "a scope ends where it is dropped"]
pub struct Scope(Option<Rc<dyn Observer>>);

impl Drop for Scope {
    fn drop(&mut self) {
        if let Some(observer) = &self.0 {
            observer.closes();
        }
    }
}

impl Context {
    /// Opens a named part of the computation. Without an observer the name is not even made.
    #[doc(hidden)]
    pub fn scope(&self, name: impl Display) -> Scope {
        let observer = self.observer();
        if let Some(observer) = &observer {
            observer.opens(&name);
        }
        Scope(observer)
    }

    /// Sets who is told of everything from now on, or that nobody is.
    pub(crate) fn set_observer(&self, observer: Option<Rc<dyn Observer>>) {
        *self.observer.borrow_mut() = observer;
    }

    pub(crate) fn observer(&self) -> Option<Rc<dyn Observer>> {
        self.observer.borrow().clone()
    }

    /// Tells the observer, if there is one.
    pub(super) fn tell(&self, event: Event) {
        if let Some(observer) = self.observer() {
            observer.saw(self, event);
        }
    }
}
