//! Arrays of the CPU as buffers, and back: iterators, numbers of other types, arrays of other crates, elements by their place.

use std::ops::Index;

use super::{Buffer, BufferBuilder, Gpu};
#[cfg(any(feature = "nalgebra", feature = "ndarray"))]
use crate::Error;
use crate::Result;

/// A number that a buffer can be filled with, as the nearest 32-bit float; a `bool` is 0 or 1.
pub trait Number: Copy {
    /// The nearest 32-bit float; infinite where the number is larger than all of them.
    fn to_f32(self) -> f32;
}

macro_rules! numbers {
    ($($kind:ty)*) => {
        $(impl Number for $kind {
            fn to_f32(self) -> f32 {
                self as f32
            }
        }

        impl Element for $kind {
            fn put(self, values: &mut Vec<f32>) {
                values.push(self as f32);
            }
        })*
    };
}

numbers! { f32 f64 i8 u8 i16 u16 i32 u32 i64 u64 usize }

impl Number for bool {
    fn to_f32(self) -> f32 {
        f32::from(self)
    }
}

/// An element, or one of its components: a number, an array of numbers, or a reference to one.
pub trait Element {
    /// Appends its numbers.
    fn put(self, values: &mut Vec<f32>);
}

impl Element for bool {
    fn put(self, values: &mut Vec<f32>) {
        values.push(self.to_f32());
    }
}

impl<T: Element, const N: usize> Element for [T; N] {
    fn put(self, values: &mut Vec<f32>) {
        self.into_iter().for_each(|number| number.put(values));
    }
}

impl<T: Element + Copy> Element for &T {
    fn put(self, values: &mut Vec<f32>) {
        (*self).put(values);
    }
}

/// The shape of an [`Array`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// A one-dimensional array of that length, as [`Gpu::array`] makes it.
    List(usize),
    /// Width and height in elements, and components of an element.
    Grid(usize, usize, usize),
}

/// An array that knows its shape, for [`Gpu::buffer_of`]: those of `ndarray`, `nalgebra` and `image`, behind the features of those
/// names.
///
/// | array | buffer |
/// |---|---|
/// | `ndarray`, (n,) | a one-dimensional array of n elements |
/// | `ndarray`, (height, width) or (height, width, components): element `[y, x, c]` | component c of element (x, y) |
/// | `nalgebra`, rows × columns: element (i, j) | element (x = j, y = i) |
/// | `image`, row 0 at the top | row 0 first; integer channels become 0 to 1 |
pub trait Array {
    /// Its shape.
    fn extent(&self) -> Extent;

    /// Its numbers: row after row, components of an element together.
    fn numbers(&self) -> Vec<f32>;
}

impl Gpu {
    /// Begins a buffer of the shape and with the values of an array of another crate; see [`Array`].
    pub fn buffer_of(&self, array: &impl Array) -> BufferBuilder {
        // A side that 32 bits do not count is over every limit, and is refused as such.
        let side = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let builder = match array.extent() {
            Extent::List(len) => self.array(len),
            Extent::Grid(width, height, components) => {
                self.buffer(side(width), side(height)).components(components)
            }
        };
        builder.filled(array.numbers())
    }
}

impl BufferBuilder {
    /// The buffer with what an iterator yields, row after row from row 0: numbers of any type, or arrays of as many as an element
    /// has components. So `init_from(&doubles)` takes a slice of `f64`.
    ///
    /// ```
    /// # fn main() -> quadrille::Result<()> {
    /// # let gpu = quadrille::Gpu::headless()?;
    /// let ramp = gpu.buffer(3, 2).init_from((0..6).map(|i| i * i))?;
    /// assert_eq!(ramp.elements()?[(1, 1)], 16.0);
    /// let halves = gpu.buffer(2, 1).init_from(&[0.5_f64, 1.5])?;
    /// let places = gpu.buffer(2, 1).components(2).init_from([[1, 2], [3, 4]])?;
    /// assert_eq!((halves.elements()?[(1, 0)], places.elements()?[(1, 0, 1)]), (1.5, 4.0));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`BufferBuilder::init`]; of an iterator that yields too much no more than one element more is asked for.
    pub fn init_from(self, elements: impl IntoIterator<Item: Element>) -> Result<Buffer> {
        let (room, mut values) = (self.values(), Vec::new());
        for element in elements {
            element.put(&mut values);
            if values.len() > room {
                break;
            }
        }
        self.init(&values)
    }
}

/// The elements of a buffer, read back: `elements[(x, y)]` is the first component of an element, `elements[(x, y, c)]` component c.
/// An array of one dimension is one row.
///
/// # Panics
/// An index outside panics, as that of a slice does.
#[derive(Clone, Debug, PartialEq)]
pub struct Elements {
    width: usize,
    components: usize,
    values: Vec<f32>,
}

impl Elements {
    /// All numbers, row after row.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    fn place(&self, x: usize, y: usize, component: usize) -> usize {
        let (width, components) = (self.width, self.components);
        assert!(
            x < width && component < components,
            "({x}, {y}, {component}) of {width} columns, {components} components"
        );
        (y * width + x) * components + component
    }
}

impl Index<(usize, usize)> for Elements {
    type Output = f32;

    fn index(&self, (x, y): (usize, usize)) -> &f32 {
        &self.values[self.place(x, y, 0)]
    }
}

impl Index<(usize, usize, usize)> for Elements {
    type Output = f32;

    fn index(&self, (x, y, component): (usize, usize, usize)) -> &f32 {
        &self.values[self.place(x, y, component)]
    }
}

impl Buffer {
    /// Reads all elements back, to look at by their place; for tests. Waits, as [`Buffer::data`].
    ///
    /// # Errors
    /// As [`Buffer::data`].
    pub fn elements(&self) -> Result<Elements> {
        let width = if self.fold().is_some() { self.len() } else { self.width() as usize };
        Ok(Elements { width, components: self.components(), values: self.data()? })
    }

    /// Reads the buffer back as (height, width, components); a one-dimensional array as (1, n, components).
    ///
    /// # Errors
    /// As [`Buffer::data`].
    #[cfg(feature = "ndarray")]
    pub fn to_ndarray(&self) -> Result<ndarray::Array3<f32>> {
        let Elements { width, components, values } = self.elements()?;
        let shape = (values.len() / (width * components), width, components);
        ndarray::Array3::from_shape_vec(shape, values)
            .map_err(|error| Error::Driver { what: self.describe(), message: error.to_string() })
    }

    /// Reads the buffer back as a matrix of height rows and width columns.
    ///
    /// # Errors
    /// [`Error::WrongShape`] for more than one component; as [`Buffer::data`].
    #[cfg(feature = "nalgebra")]
    pub fn to_matrix(&self) -> Result<nalgebra::DMatrix<f32>> {
        let Elements { width, components, values } = self.elements()?;
        if components != 1 {
            let (found, expected) = (format!("{components} components"), "one, as a matrix has".to_owned());
            return Err(Error::WrongShape { what: self.describe(), found, expected });
        }
        Ok(nalgebra::DMatrix::from_row_slice(values.len() / width, width, &values))
    }
}

#[cfg(feature = "ndarray")]
mod of_ndarray {
    use ndarray::{ArrayBase, Data, Dimension, Ix1, Ix2, Ix3};

    use super::{Array, Extent, Number};

    /// In the order of the indices, whatever order they lie in.
    fn numbers<S: Data<Elem: Number>, D: Dimension>(array: &ArrayBase<S, D>) -> Vec<f32> {
        array.iter().map(|number| number.to_f32()).collect()
    }

    impl<S: Data<Elem: Number>> Array for ArrayBase<S, Ix1> {
        fn extent(&self) -> Extent {
            Extent::List(self.len())
        }

        fn numbers(&self) -> Vec<f32> {
            numbers(self)
        }
    }

    impl<S: Data<Elem: Number>> Array for ArrayBase<S, Ix2> {
        fn extent(&self) -> Extent {
            let (height, width) = self.dim();
            Extent::Grid(width, height, 1)
        }

        fn numbers(&self) -> Vec<f32> {
            numbers(self)
        }
    }

    impl<S: Data<Elem: Number>> Array for ArrayBase<S, Ix3> {
        fn extent(&self) -> Extent {
            let (height, width, components) = self.dim();
            Extent::Grid(width, height, components)
        }

        fn numbers(&self) -> Vec<f32> {
            numbers(self)
        }
    }
}

#[cfg(feature = "nalgebra")]
impl<T, R, C, S> Array for nalgebra::Matrix<T, R, C, S>
where
    T: Number + nalgebra::Scalar,
    R: nalgebra::Dim,
    C: nalgebra::Dim,
    S: nalgebra::RawStorage<T, R, C>,
{
    fn extent(&self) -> Extent {
        Extent::Grid(self.ncols(), self.nrows(), 1)
    }

    fn numbers(&self) -> Vec<f32> {
        self.row_iter().flat_map(|row| row.iter().map(|number| number.to_f32()).collect::<Vec<_>>()).collect()
    }
}

#[cfg(feature = "image")]
mod of_image {
    use std::ops::Deref;

    use image::{DynamicImage, ImageBuffer, Pixel, Primitive};

    use super::{Array, Extent, Number};

    impl<P, C> Array for ImageBuffer<P, C>
    where
        P: Pixel<Subpixel: Number>,
        C: Deref<Target = [P::Subpixel]>,
    {
        fn extent(&self) -> Extent {
            Extent::Grid(self.width() as usize, self.height() as usize, usize::from(P::CHANNEL_COUNT))
        }

        fn numbers(&self) -> Vec<f32> {
            let most = P::Subpixel::DEFAULT_MAX_VALUE.to_f32();
            self.iter().map(|number| number.to_f32() / most).collect()
        }
    }

    impl Array for DynamicImage {
        fn extent(&self) -> Extent {
            let channels = usize::from(self.color().channel_count());
            Extent::Grid(self.width() as usize, self.height() as usize, channels)
        }

        fn numbers(&self) -> Vec<f32> {
            match self.color().channel_count() {
                1 => self.to_luma32f().into_raw(),
                2 => self.to_luma_alpha32f().into_raw(),
                3 => self.to_rgb32f().into_raw(),
                _ => self.to_rgba32f().into_raw(),
            }
        }
    }
}
