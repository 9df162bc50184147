//! Images: what a shader reads and leaves, as numbers.

mod inputs;

use std::ops::Index;
use std::path::Path;
use std::rc::Rc;

use image::{DynamicImage, ImageBuffer, Rgb, Rgba32FImage, RgbaImage};

pub use inputs::{At, Texture};
pub(super) use inputs::{Bound, Inputs};

use crate::gl::{byte_of, number_of};
use crate::numeric::Random;
use crate::{Buffer, Error, Result};

/// Width × height texels of 1 to 4 numbers, row 0 first: the lowest row of a screen, at v = 0.
///
/// One that a shader drew remembers what it was drawn of, for [`Image::expected`] and for reports.
#[derive(Clone)]
pub struct Image {
    width: u32,
    height: u32,
    components: usize,
    values: Vec<f32>,
    inputs: Option<Rc<Inputs>>,
    /// Why there is no such image: a closure asked for a name that there is not.
    fault: Option<String>,
}

/// A texel: a number, or an array of 1 to 4.
pub trait Texel {
    /// The numbers.
    fn numbers(&self) -> &[f32];
}

impl Texel for f32 {
    fn numbers(&self) -> &[f32] {
        std::slice::from_ref(self)
    }
}

impl<const N: usize> Texel for [f32; N] {
    fn numbers(&self) -> &[f32] {
        const { assert!(N >= 1 && N <= 4, "one to four numbers") };
        self
    }
}

impl Image {
    /// The image of these values: row after row from row 0, components of a texel together.
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::BadParameter`] for components outside 1 to 4.
    pub fn new(width: u32, height: u32, components: usize, values: Vec<f32>) -> Result<Image> {
        if !(1..=4).contains(&components) {
            let (found, expected) = (components.to_string(), "1 to 4".to_owned());
            return Err(Error::BadParameter { name: "components", found, expected });
        }
        let expected = width as usize * height as usize * components;
        if values.len() != expected {
            let (found, shape) = (values.len(), "width x height x components".to_owned());
            let what = format!("image {width}x{height}x{components}");
            return Err(Error::WrongLength { what, found, expected, shape });
        }
        Ok(Image { width, height, components, values, inputs: None, fault: None })
    }

    /// The image of a function of column and row.
    pub fn from_fn<T: Texel>(width: u32, height: u32, mut texel: impl FnMut(u32, u32) -> T) -> Image {
        let mut values = Vec::new();
        let mut components = 1;
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            let texel = texel(x, y);
            components = texel.numbers().len();
            values.extend_from_slice(texel.numbers());
        }
        Image { width, height, components, values, inputs: None, fault: None }
    }

    /// Four numbers a texel, 0 to 1, that look random: the same of the same seed.
    pub fn random(width: u32, height: u32, seed: u64) -> Image {
        let mut random = Random(seed);
        Image::from_fn(width, height, |_, _| [(); 4].map(|()| random.unit()))
    }

    /// The elements of a buffer, as many numbers a texel as it has components; a one-dimensional array is one row. Then
    /// `assert_close!(Image::of(&buffer)?, expected, 1e-6)` holds kernels of one's own, too.
    ///
    /// # Errors
    /// As [`Buffer::data`](crate::Buffer::data); [`Error::OverLimit`] for an array longer than 2³² − 1.
    pub fn of(buffer: &Buffer) -> Result<Image> {
        let (width, height) = match buffer.fold() {
            None => (buffer.width(), buffer.height()),
            Some(fold) => {
                let over = |_| Error::OverLimit {
                    what: buffer.describe(),
                    quantity: "length",
                    found: fold.len as u64,
                    limit: u32::MAX.into(),
                };
                (u32::try_from(fold.len).map_err(over)?, 1)
            }
        };
        Image::new(width, height, buffer.components(), buffer.data()?)
    }

    /// Reads a PNG, of which each byte k is k/255 and no colour is converted, or an OpenEXR: four numbers a texel. Row 0 is
    /// the last of the file.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn open(path: impl AsRef<Path>) -> Result<Image> {
        let path = path.as_ref();
        let read = image::ImageReader::open(path)
            .and_then(|reader| reader.decode().map_err(std::io::Error::other))
            .map_err(|cause| Error::Io { path: path.to_owned(), cause })?;
        let (width, height) = (read.width(), read.height());
        let turned = |x: u32, y: u32| (x, height - 1 - y);
        Ok(match read {
            DynamicImage::ImageRgb32F(_) | DynamicImage::ImageRgba32F(_) => {
                let texels = read.into_rgba32f();
                Image::from_fn(width, height, |x, y| texels[turned(x, y)].0)
            }
            DynamicImage::ImageLuma16(_)
            | DynamicImage::ImageLumaA16(_)
            | DynamicImage::ImageRgb16(_)
            | DynamicImage::ImageRgba16(_) => {
                let texels = read.into_rgba16();
                Image::from_fn(width, height, |x, y| texels[turned(x, y)].0.map(|v| f32::from(v) / 65535.0))
            }
            _ => {
                let texels = read.into_rgba8();
                Image::from_fn(width, height, |x, y| texels[turned(x, y)].0.map(number_of))
            }
        })
    }

    /// Writes a `.png`, each number as the nearest byte of 255 times it, or an `.exr` of 32-bit floats, through a temporary
    /// name. Missing components are 0, alpha 1.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::BadParameter`] for another ending.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let (width, height) = (self.width, self.height);
        let texel = |x: u32, y: u32| self.rgba(x, height - 1 - y);
        let made = match path.extension().and_then(|ending| ending.to_str()) {
            Some("png") => DynamicImage::ImageRgba8(RgbaImage::from_fn(width, height, |x, y| {
                image::Rgba(texel(x, y).map(byte_of))
            })),
            Some("exr") => DynamicImage::ImageRgba32F(Rgba32FImage::from_fn(width, height, |x, y| {
                image::Rgba(texel(x, y))
            })),
            _ => {
                let (found, expected) = (path.display().to_string(), "a .png or an .exr".to_owned());
                return Err(Error::BadParameter { name: "path", found, expected });
            }
        };
        write(&made, path)
    }

    /// Writes a PNG for the eye: three components, `low` black and `high` white.
    pub(super) fn show(&self, path: &Path, low: f32, high: f32) -> Result<()> {
        let shown = |value: f32| byte_of((value - low) / (high - low).max(f32::MIN_POSITIVE));
        let picture = ImageBuffer::from_fn(self.width, self.height, |x, y| {
            let [r, g, b, _] = self.rgba(x, self.height - 1 - y).map(shown);
            Rgb(if self.components == 1 { [r; 3] } else { [r, g, b] })
        });
        write(&DynamicImage::ImageRgb8(picture), path)
    }

    /// Texels a row.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Numbers a texel.
    pub fn components(&self) -> usize {
        self.components
    }

    /// All numbers, row after row from row 0, components of a texel together.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// The texel of that column and row with the components that it has not: 0, and 1 for alpha. All 0 outside.
    pub(super) fn rgba(&self, x: u32, y: u32) -> [f32; 4] {
        let mut rgba = [0.0, 0.0, 0.0, 1.0];
        if x >= self.width || y >= self.height {
            return [0.0; 4];
        }
        rgba[..self.components].copy_from_slice(&self[(x, y)]);
        rgba
    }

    /// Four numbers for each texel.
    pub(super) fn all_rgba(&self) -> Vec<f32> {
        let places = (0..self.height).flat_map(|y| (0..self.width).map(move |x| (x, y)));
        places.flat_map(|(x, y)| self.rgba(x, y)).collect()
    }

    /// The image as a texture, nearest texel and clamped edges unless said: `image.texture().linear().repeat()`.
    pub fn texture(&self) -> Texture<'_> {
        Texture::of(self)
    }

    /// The same texels under a function.
    pub fn map<T: Texel>(&self, mut texel: impl FnMut([f32; 4]) -> T) -> Image {
        Image::from_fn(self.width, self.height, |x, y| texel(self.rgba(x, y)))
    }

    /// The values of a plain function of the same inputs, at each texel: the other side of [`assert_close!`](crate::assert_close).
    /// An image that no shader drew knows positions alone.
    pub fn expected<T: Texel>(&self, mut texel: impl FnMut(&At) -> T) -> Image {
        let nothing = Inputs::default();
        let inputs = self.inputs.as_deref().unwrap_or(&nothing);
        let fault = std::cell::RefCell::default();
        let (width, height) = (self.width, self.height);
        let mut made =
            Image::from_fn(width, height, |x, y| texel(&At::new(inputs, (x, y), (width, height), &fault)));
        made.fault = fault.into_inner();
        made
    }

    /// The first components of each texel.
    pub(super) fn first(&self, components: usize) -> Image {
        let texels = self.values.chunks_exact(self.components.max(1));
        let values = texels.flat_map(|texel| texel[..components].to_vec()).collect();
        Image { components, values, ..self.clone() }
    }

    /// Every number under a function.
    pub(super) fn each(&self, change: impl Fn(f32) -> f32) -> Image {
        Image { values: self.values.iter().map(|value| change(*value)).collect(), ..self.clone() }
    }

    pub(super) fn drawn_of(self, inputs: &Rc<Inputs>) -> Image {
        Image { inputs: Some(inputs.clone()), ..self }
    }

    pub(super) fn inputs(&self) -> Option<&Inputs> {
        self.inputs.as_deref()
    }

    pub(super) fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }
}

/// `image[(x, y)]`: the numbers of the texel in column x and row y.
impl Index<(u32, u32)> for Image {
    type Output = [f32];

    fn index(&self, (x, y): (u32, u32)) -> &[f32] {
        assert!(
            x < self.width && y < self.height,
            "texel ({x}, {y}) of an image of {}x{}",
            self.width,
            self.height
        );
        let at = (y as usize * self.width as usize + x as usize) * self.components;
        &self.values[at..at + self.components]
    }
}

/// Writes under another name first, in a folder that is made if there is none.
fn write(image: &DynamicImage, path: &Path) -> Result<()> {
    let failed = |cause| Error::Io { path: path.to_owned(), cause };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    let unfinished = path.with_extension(format!("{}.{ending}", std::process::id()));
    let written = image.save(&unfinished).map_err(|error| failed(std::io::Error::other(error)));
    let moved = written.and_then(|()| std::fs::rename(&unfinished, path).map_err(failed));
    if moved.is_err() {
        // Whatever was written of it is of no use.
        let _ = std::fs::remove_file(&unfinished);
    }
    moved
}
