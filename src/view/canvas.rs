//! The canvas of lit pictures: linear light in half floats, several texels a pixel; or where each texel looks, lit as it is developed.

use crate::gl::{Compare, DepthStencil, DepthTest, Format, GlowFramebuffer, Mask, Rect, Shape};
use crate::pug::{Buffer, Domain, Gpu, Precision, Program};
use crate::{Result, kernels};

/// Nearer hides farther.
pub(super) const NEAREST: Mask =
    Mask { depth: Some(DepthTest { compare: Compare::Less, write: true }), stencil: None };

/// The treatment of light brighter than a picture can show.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum ToneMap {
    /// It is white.
    Clipped,
    /// It is white, and behind all is a sky with its horizon, for `view` of [`Canvas::develop`].
    Outdoors,
    /// All light is pressed together by its logarithm, more and more with this exposure, and keeps its hue.
    Stretched(f32),
    /// It is white; the canvas has no light but what `view/water_seen.frag` saw, and the developing pass lights texels after all that is
    /// hidden has been hidden.
    Water,
}

/// A surface to draw on, and the pass that develops it into a picture: a mean over the texels of a pixel, on that film,
/// over a backdrop where nothing was drawn, in sRGB.
pub(super) struct Canvas {
    film: ToneMap,
    /// The developing pass, for so many texels along each side of a pixel.
    develop: Option<(u32, Program)>,
    /// The surface of the last picture, kept for the next one of its size.
    surface: Option<Surface>,
    samples: u32,
    gpu: Gpu,
}

/// Light (red, green, blue, and how much of the backdrop it covers; its last row is the upper one), and depth.
pub(super) struct Surface {
    pub light: Buffer,
    pub depth: DepthStencil,
}

impl Canvas {
    /// Compiles the developing pass of so many texels along each side of a pixel.
    pub fn new(gpu: &Gpu, film: ToneMap, samples: u32) -> Result<Canvas> {
        let mut canvas = Canvas { film, develop: None, surface: None, samples, gpu: gpu.clone() };
        canvas.developing(samples)?;
        Ok(canvas)
    }

    /// Sets the exposure of a stretched film, from the next picture on.
    pub fn set_exposure(&mut self, exposure: f32) {
        if let ToneMap::Stretched(known) = &mut self.film {
            *known = exposure;
        }
    }

    /// The developing pass of a picture of that size: what it needs besides the canvas is bound before the picture.
    pub fn develop(&mut self, size: (u32, u32)) -> Result<&mut Program> {
        self.developing(self.samples_of(size))
    }

    fn developing(&mut self, samples: u32) -> Result<&mut Program> {
        let Canvas { film, develop, gpu, .. } = self;
        super::variant(develop, samples, || {
            let (stretched, water) = (matches!(film, ToneMap::Stretched(_)), *film == ToneMap::Water);
            let kernel = kernels::named("view/picture_develop.frag")?
                .define("STRETCHED", u32::from(stretched))
                .define("WATER", u32::from(water))
                .define("SKY", u32::from(*film == ToneMap::Outdoors))
                .define("SAMPLES", samples);
            gpu.load(kernel)
        })
    }

    /// Texels along each side of a pixel: as many as are wanted and fit into a texture.
    fn samples_of(&self, (width, height): (u32, u32)) -> u32 {
        let most = self.gpu.limits().texture_size / width.max(height).max(1);
        self.samples.min(most).max(1)
    }

    /// Sets the texels along each side of a pixel, 1 to 4.
    pub fn set_samples(&mut self, samples: u32) {
        self.samples = samples.clamp(1, 4);
    }

    /// Develops what `paint` draws into the part `place` of a framebuffer, `None` for the window.
    pub fn draw(
        &mut self,
        framebuffer: Option<GlowFramebuffer>,
        place: Rect,
        paint: impl FnOnce(&Surface) -> Result<()>,
    ) -> Result<()> {
        self.painted((place.width(), place.height()), paint, |canvas, surface| {
            // The canvas stands as OpenGL's framebuffers do: its last row is the upper one.
            canvas.develop_onto(surface, surface.light.rect().into(), framebuffer, place)
        })
    }

    /// Draws by `paint` and returns width × height pixels: red, green, blue, alpha, row after row from the top.
    pub fn picture(
        &mut self,
        width: u32,
        height: u32,
        paint: impl FnOnce(&Surface) -> Result<()>,
    ) -> Result<Vec<u8>> {
        let picture = self.gpu.context().texture(Shape { width, height, format: Format::Rgba8 })?;
        self.painted((width, height), paint, |canvas, surface| {
            let (right, top) = (surface.light.width() as f32, surface.light.height() as f32);
            // A file's first row is its upper one.
            let turned = Domain::new(0.0, top, right, 0.0);
            canvas.develop_onto(surface, turned, Some(picture.framebuffer()), Rect::whole(width, height))
        })?;
        picture.read_bytes()
    }

    fn painted(
        &mut self,
        size: (u32, u32),
        paint: impl FnOnce(&Surface) -> Result<()>,
        develop: impl FnOnce(&mut Canvas, &Surface) -> Result<()>,
    ) -> Result<()> {
        let surface = self.clean(size)?;
        let result = paint(&surface).and_then(|()| develop(self, &surface));
        self.surface = Some(surface);
        result
    }

    fn develop_onto(
        &mut self,
        surface: &Surface,
        coords: Domain,
        framebuffer: Option<GlowFramebuffer>,
        place: Rect,
    ) -> Result<()> {
        let film = self.film;
        let develop = self.develop((place.width(), place.height()))?;
        if let ToneMap::Stretched(exposure) = film {
            develop.bind_float("exposure", exposure)?;
        }
        develop.bind_stream("canvas", &surface.light)?.bind_domain("coords", coords)?;
        develop.onto_framebuffer(framebuffer, place).run()?;
        develop.release_streams();
        Ok(())
    }

    /// An empty surface for a picture of that size, the last one if it fits.
    fn clean(&mut self, (width, height): (u32, u32)) -> Result<Surface> {
        let samples = self.samples_of((width, height));
        let (width, height) = (width.saturating_mul(samples), height.saturating_mul(samples));
        let fits = |surface: &Surface| (surface.light.width(), surface.light.height()) == (width, height);
        if let Some(surface) = self.surface.take().filter(fits) {
            surface.light.texture().clear([0.0; 4]);
            surface.depth.clear(1.0, 0)?;
            return Ok(surface);
        }
        // Places on the water are whole numbers of two bytes, so half as many bytes are cleared, written and fetched as of light.
        let precision = if self.film == ToneMap::Water { Precision::Fixed8 } else { Precision::Float16 };
        let light = self.gpu.buffer(width, height).components(4).precision(precision).named("canvas");
        Ok(Surface { light: light.build()?, depth: self.gpu.depth_stencil(width, height)? })
    }
}
