//! Read-back that does not wait: through a pixel buffer and a fence.

use std::rc::Rc;

use glow::HasContext;

use super::texture::ReadLayout;
use super::{Context, Rect, Texture};
use crate::{Error, Result};

/// The promise about a pixel buffer. A browser takes one that is read for a copy in memory of its own, and warns at each read-back that
/// did not wait for a fence, up to some 256 times, after which it tells of nothing any more.
const USAGE: u32 = if cfg!(target_arch = "wasm32") { glow::STREAM_COPY } else { glow::STREAM_READ };

/// A read-back under way: the texels as they were when it was asked for.
pub struct ReadBack {
    context: Rc<Context>,
    buffer: glow::Buffer,
    fence: glow::Fence,
    layout: ReadLayout,
    /// How often everything drawn had been waited for.
    finished: u64,
}

impl Texture {
    /// Starts reading a region back; the texture may be drawn to or dropped meanwhile.
    ///
    /// # Errors
    /// [`Error::OutsideTarget`], [`Error::Empty`]; [`Error::OutOfMemory`] past 2 GiB.
    pub fn read_async(&self, region: Rect) -> Result<ReadBack> {
        self.check_region(region)?;
        let layout = self.read_layout(region);
        let bytes = i32::try_from(layout.bytes).map_err(|_| {
            let what = format!("a read-back of {}x{}", region.width(), region.height());
            Error::OutOfMemory { what, bytes: layout.bytes as u64 }
        })?;
        let context = &self.context;
        context.alive("a read-back")?;
        let gl = context.gl();
        let refused = |message| context.or_lost(Error::Driver { what: "a read-back".into(), message });
        context.state.borrow_mut().fixed(gl);
        // SAFETY: the buffer is as large as the read; it is unbound again before anything else reads.
        unsafe {
            let buffer = gl.create_buffer().map_err(refused)?;
            gl.bind_buffer(glow::PIXEL_PACK_BUFFER, Some(buffer));
            gl.buffer_data_size(glow::PIXEL_PACK_BUFFER, bytes, USAGE);
            let outcome = self.ask_pixels(region, &layout, glow::PixelPackData::BufferOffset(0));
            gl.bind_buffer(glow::PIXEL_PACK_BUFFER, None);
            let fence =
                outcome.and_then(|()| gl.fence_sync(glow::SYNC_GPU_COMMANDS_COMPLETE, 0).map_err(refused));
            let fence = fence.inspect_err(|_| gl.delete_buffer(buffer))?;
            gl.flush();
            context.count(|c| c.live += 1);
            Ok(ReadBack { context: context.clone(), buffer, fence, layout, finished: context.finished() })
        }
    }
}

impl ReadBack {
    /// Returns true if the values have arrived: [`ReadBack::wait`] then returns at once.
    pub fn ready(&self) -> bool {
        // A page says nothing of a fence before control has returned to the event loop.
        if self.finished < self.context.finished() || self.context.is_lost() {
            return true;
        }
        let gl = self.context.gl();
        // SAFETY: the fence is alive. A zero time-out only asks; the flush bit makes sure it ever comes.
        let status = unsafe { gl.client_wait_sync(self.fence, glow::SYNC_FLUSH_COMMANDS_BIT, 0) };
        // A wait that failed will never end: what is wrong shows when the values are taken.
        status != glow::TIMEOUT_EXPIRED
    }

    /// The values if they have arrived, else the read-back itself, to ask again later.
    ///
    /// # Errors
    /// [`Error::ContextLost`]; [`Error::Driver`] where the pixel buffer cannot be mapped.
    pub fn poll(self) -> Result<std::result::Result<Vec<f32>, ReadBack>> {
        if self.ready() { self.take().map(Ok) } else { Ok(Err(self)) }
    }

    /// The values, waited for.
    ///
    /// # Errors
    /// As [`ReadBack::poll`].
    pub fn wait(self) -> Result<Vec<f32>> {
        self.take()
    }

    fn take(self) -> Result<Vec<f32>> {
        self.context.alive("a read-back")?;
        let gl = self.context.gl();
        let mut values = vec![0.0; self.layout.floats()];
        let room = &mut bytemuck::cast_slice_mut(&mut values)[..self.layout.bytes];
        // SAFETY: the mapping has `layout.bytes` bytes, and ends before the buffer is deleted.
        unsafe {
            gl.bind_buffer(glow::PIXEL_PACK_BUFFER, Some(self.buffer));
            #[cfg(not(target_arch = "wasm32"))]
            let arrived = {
                let bytes = self.layout.bytes;
                let mapped =
                    gl.map_buffer_range(glow::PIXEL_PACK_BUFFER, 0, bytes as i32, glow::MAP_READ_BIT);
                if !mapped.is_null() {
                    let mapped = std::slice::from_raw_parts(mapped, bytes);
                    room.copy_from_slice(mapped);
                    gl.unmap_buffer(glow::PIXEL_PACK_BUFFER);
                }
                !mapped.is_null()
            };
            #[cfg(target_arch = "wasm32")]
            let arrived = {
                gl.get_buffer_sub_data(glow::PIXEL_PACK_BUFFER, 0, room);
                self.context.take_error().is_none()
            };
            gl.bind_buffer(glow::PIXEL_PACK_BUFFER, None);
            // A buffer of a context that was lost meanwhile reads as zeros, and no error tells of it a second time.
            self.context.alive("a read-back")?;
            if !arrived {
                let message = "the pixel buffer cannot be mapped".to_owned();
                return Err(Error::Driver { what: "a read-back".into(), message });
            }
        }
        self.layout.compact(&mut values);
        Ok(values)
    }
}

impl Drop for ReadBack {
    fn drop(&mut self) {
        if !self.context.is_lost() {
            let gl = self.context.gl();
            // SAFETY: made by `read_async`, held by nobody else.
            unsafe {
                gl.delete_sync(self.fence);
                gl.delete_buffer(self.buffer);
            }
        }
        self.context.count(|c| c.live -= 1);
    }
}
