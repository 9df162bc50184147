//! Framebuffers of several targets or with depth and stencil, made once for each combination.

use std::rc::Rc;

use glow::HasContext;

use super::state::State;
use super::{Context, Texture};
use crate::{Error, Result};

/// Targets a pass may ever have.
pub(crate) const TARGETS: usize = 8;

/// A depth (24 bits) and stencil (8 bits) surface for passes with a [`Mask`](super::Mask).
///
/// The format is the one that every driver renders together with 32-bit float colour.
pub struct DepthStencil {
    context: Rc<Context>,
    renderbuffer: glow::Renderbuffer,
    serial: u64,
    width: u32,
    height: u32,
}

impl Context {
    /// A depth and stencil surface, cleared to depth 1 and stencil 0.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::OverLimit`], [`Error::OutOfMemory`].
    pub(crate) fn depth_stencil(self: &Rc<Self>, width: u32, height: u32) -> Result<DepthStencil> {
        let what = || format!("depth-stencil surface {width}x{height}");
        if width == 0 || height == 0 {
            return Err(Error::Empty { what: what(), width, height });
        }
        let (found, limit) = (u64::from(width.max(height)), u64::from(self.limits.texture_size));
        if found > limit {
            return Err(Error::OverLimit { what: what(), quantity: "side", found, limit });
        }
        self.alive(&what())?;
        let gl = self.gl();
        // SAFETY: sizes are within limits.
        let renderbuffer = unsafe {
            let made = gl.create_renderbuffer();
            let renderbuffer =
                made.map_err(|message| self.or_lost(Error::Driver { what: what(), message }))?;
            gl.bind_renderbuffer(glow::RENDERBUFFER, Some(renderbuffer));
            let (width, height) = (width as i32, height as i32);
            gl.renderbuffer_storage(glow::RENDERBUFFER, glow::DEPTH24_STENCIL8, width, height);
            gl.bind_renderbuffer(glow::RENDERBUFFER, None);
            renderbuffer
        };
        self.count(|c| c.live += 1);
        let made = DepthStencil { context: self.clone(), renderbuffer, serial: self.serial(), width, height };
        if self.take_error().is_some() {
            let bytes = u64::from(width) * u64::from(height) * 4;
            return Err(self.or_lost(Error::OutOfMemory { what: what(), bytes }));
        }
        made.clear(1.0, 0)?;
        Ok(made)
    }

    /// The framebuffer of these targets, in order.
    pub(super) fn framebuffer_of(
        &self,
        targets: &[&Texture],
        depth_stencil: Option<&DepthStencil>,
    ) -> Result<glow::Framebuffer> {
        if let ([target], None) = (targets, depth_stencil) {
            return Ok(target.storage.framebuffer);
        }
        let mut key = [0; TARGETS + 1];
        for (slot, target) in key.iter_mut().zip(targets) {
            *slot = target.storage.serial;
        }
        key[TARGETS] = depth_stencil.map_or(0, |d| d.serial);
        if let Some(framebuffer) = self.framebuffers.borrow().find(&key) {
            return Ok(framebuffer);
        }
        let framebuffer = self.make_framebuffer(targets, depth_stencil)?;
        self.framebuffers.borrow_mut().made.push((key, framebuffer));
        Ok(framebuffer)
    }

    fn make_framebuffer(
        &self,
        targets: &[&Texture],
        depth: Option<&DepthStencil>,
    ) -> Result<glow::Framebuffer> {
        let what = || format!("a framebuffer of {} targets", targets.len());
        self.alive(&what())?;
        let gl = self.gl();
        // SAFETY: all attachments are alive and of this context.
        let (framebuffer, status) = unsafe {
            let made = gl.create_framebuffer();
            let framebuffer =
                made.map_err(|message| self.or_lost(Error::Driver { what: what(), message }))?;
            self.state.borrow_mut().framebuffer(gl, Some(framebuffer));
            let mut attachments = [glow::NONE; TARGETS];
            for (i, target) in targets.iter().enumerate() {
                attachments[i] = glow::COLOR_ATTACHMENT0 + i as u32;
                let texture = Some(target.storage.texture);
                gl.framebuffer_texture_2d(glow::FRAMEBUFFER, attachments[i], glow::TEXTURE_2D, texture, 0);
            }
            gl.draw_buffers(&attachments[..targets.len()]);
            if targets.is_empty() {
                gl.read_buffer(glow::NONE);
            }
            if let Some(depth) = depth {
                let renderbuffer = Some(depth.renderbuffer);
                let (both, kind) = (glow::DEPTH_STENCIL_ATTACHMENT, glow::RENDERBUFFER);
                gl.framebuffer_renderbuffer(glow::FRAMEBUFFER, both, kind, renderbuffer);
            }
            (framebuffer, gl.check_framebuffer_status(glow::FRAMEBUFFER))
        };
        if status == glow::FRAMEBUFFER_COMPLETE {
            return Ok(framebuffer);
        }
        self.state.borrow_mut().forget_framebuffer(framebuffer);
        self.alive(&what())?;
        // SAFETY: just made, and bound no more as far as the cache knows.
        unsafe { gl.delete_framebuffer(framebuffer) };
        Err(Error::Driver { what: what(), message: format!("framebuffer status {status:#06x}") })
    }
}

impl DepthStencil {
    /// Width in texels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height in texels.
    pub fn height(&self) -> u32 {
        self.height
    }

    pub(super) fn context(&self) -> &Context {
        &self.context
    }

    pub(crate) fn of_context(&self, context: &Rc<Context>) -> bool {
        Rc::ptr_eq(&self.context, context)
    }

    /// Sets every depth and stencil value.
    pub fn clear(&self, depth: f32, stencil: u8) -> Result<()> {
        if self.context.is_lost() {
            return Ok(());
        }
        let framebuffer = self.context.framebuffer_of(&[], Some(self))?;
        let gl = self.context.gl();
        let mut state = self.context.state.borrow_mut();
        state.fixed(gl);
        state.framebuffer(gl, Some(framebuffer));
        state.mask(gl, super::Mask::writing_all());
        // SAFETY: the framebuffer has a depth and stencil attachment.
        unsafe { gl.clear_buffer_depth_stencil(glow::DEPTH_STENCIL, 0, depth, i32::from(stencil)) };
        Ok(())
    }
}

impl Drop for DepthStencil {
    fn drop(&mut self) {
        if !self.context.is_lost() {
            let gl = self.context.gl();
            let mut state = self.context.state.borrow_mut();
            self.context.framebuffers.borrow_mut().forget_texture(gl, &mut state, self.serial);
            // SAFETY: made by `depth_stencil`; its framebuffers are gone.
            unsafe { gl.delete_renderbuffer(self.renderbuffer) };
        }
        self.context.count(|c| c.live -= 1);
    }
}

/// Serials of the targets and of the depth-stencil surface, 0 where there is none.
type Key = [u64; TARGETS + 1];

#[derive(Default)]
pub(super) struct Framebuffers {
    made: Vec<(Key, glow::Framebuffer)>,
}

impl Framebuffers {
    fn find(&self, key: &Key) -> Option<glow::Framebuffer> {
        self.made.iter().find(|(known, _)| known == key).map(|&(_, framebuffer)| framebuffer)
    }

    /// Deletes every framebuffer with that attachment.
    pub fn forget_texture(&mut self, gl: &glow::Context, state: &mut State, serial: u64) {
        self.made.retain(|(key, framebuffer)| {
            let keep = !key.contains(&serial);
            if !keep {
                state.forget_framebuffer(*framebuffer);
                // SAFETY: made by `make_framebuffer`.
                unsafe { gl.delete_framebuffer(*framebuffer) };
            }
            keep
        });
    }

    pub fn delete_all(&mut self, gl: &glow::Context) {
        for (_, framebuffer) in self.made.drain(..) {
            // SAFETY: made by `make_framebuffer`.
            unsafe { gl.delete_framebuffer(framebuffer) };
        }
    }
}
