//! To the GPU and back.

use quadrille::glow::{self, HasContext};

use super::BareLoop;
use super::device::{Bare, Shape, Target};
use quadrille::Result;

/// The same RGBA32F texels, uploaded again and again.
pub struct Upload {
    bare: Bare,
    target: Target,
    values: Vec<f32>,
}

impl Upload {
    /// Into a texture of that size.
    ///
    /// # Errors
    /// Those of the driver, and of values that do not fit the size.
    pub fn new(bare: &Bare, width: u32, height: u32, values: &[f32]) -> Result<Upload> {
        let target = bare.target(Shape::rgba(width, height), Some(values))?;
        Ok(Upload { bare: bare.clone(), target, values: values.to_vec() })
    }
}

impl BareLoop for Upload {
    fn draw(&mut self, rounds: u32) {
        let gl = self.bare.gl();
        let (width, height) = (self.target.shape.width as i32, self.target.shape.height as i32);
        self.bare.begin();
        // SAFETY: `values` fills the texture, as `new` has seen.
        unsafe {
            gl.bind_texture(glow::TEXTURE_2D, Some(self.target.texture));
            for _ in 0..rounds {
                let pixels = glow::PixelUnpackData::Slice(Some(bytemuck::cast_slice(&self.values)));
                let (format, kind) = (glow::RGBA, glow::FLOAT);
                gl.tex_sub_image_2d(glow::TEXTURE_2D, 0, 0, 0, width, height, format, kind, pixels);
            }
        }
    }

    fn texel(&self) -> [f32; 4] {
        self.target.first_texel()
    }
}

/// The same RGBA32F texels, read back again and again, into memory that is there already.
pub struct Download {
    target: Target,
    values: Vec<f32>,
}

impl Download {
    /// From a texture with these values.
    ///
    /// # Errors
    /// As [`Upload::new`].
    pub fn new(bare: &Bare, width: u32, height: u32, values: &[f32]) -> Result<Download> {
        let target = bare.target(Shape::rgba(width, height), Some(values))?;
        Ok(Download { target, values: vec![0.0; values.len()] })
    }

    /// The values read last.
    pub fn values(&self) -> &[f32] {
        &self.values
    }
}

impl BareLoop for Download {
    fn draw(&mut self, rounds: u32) {
        for _ in 0..rounds {
            self.target.read(self.target.shape.width, self.target.shape.height, &mut self.values);
        }
    }

    fn texel(&self) -> [f32; 4] {
        self.target.first_texel()
    }
}
