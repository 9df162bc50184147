//! Values of uniforms: Rust's types as GLSL's.

use crate::gl::{GlslType, Scalar};

/// A value of a uniform: `f32`, `i32`, `u32`, `bool`, arrays and slices of them.
///
/// `[f32; 3]` is a `vec3`, `[[f32; 3]; 3]` a `mat3` whose columns are the inner arrays, and one more array around is GLSL's
/// array. A flat array or slice is taken where it has as many numbers as the uniform.
pub trait Value {
    /// `float`, `int`, `uint` or `bool`.
    #[doc(hidden)]
    fn scalar() -> &'static str;

    /// The lengths of the arrays, outermost first.
    #[doc(hidden)]
    fn shape(&self) -> Vec<usize>;

    /// The 32 bits of each number, in order.
    #[doc(hidden)]
    fn words(&self, words: &mut Vec<u32>);
}

macro_rules! scalar {
    ($($kind:ty, $name:literal, $bits:expr;)*) => {
        $(impl Value for $kind {
            fn scalar() -> &'static str {
                $name
            }

            fn shape(&self) -> Vec<usize> {
                Vec::new()
            }

            fn words(&self, words: &mut Vec<u32>) {
                let bits: fn($kind) -> u32 = $bits;
                words.push(bits(*self));
            }
        })*
    };
}

scalar! {
    f32, "float", f32::to_bits;
    i32, "int", |value| value.cast_unsigned();
    u32, "uint", |value| value;
    bool, "bool", u32::from;
}

impl<T: Value> Value for [T] {
    fn scalar() -> &'static str {
        T::scalar()
    }

    fn shape(&self) -> Vec<usize> {
        let inner = self.first().map_or_else(Vec::new, T::shape);
        [vec![self.len()], inner].concat()
    }

    fn words(&self, words: &mut Vec<u32>) {
        self.iter().for_each(|value| value.words(words));
    }
}

impl<T: Value, const N: usize> Value for [T; N] {
    fn scalar() -> &'static str {
        T::scalar()
    }

    fn shape(&self) -> Vec<usize> {
        self.as_slice().shape()
    }

    fn words(&self, words: &mut Vec<u32>) {
        self.as_slice().words(words);
    }
}

impl<T: Value> Value for Vec<T> {
    fn scalar() -> &'static str {
        T::scalar()
    }

    fn shape(&self) -> Vec<usize> {
        self.as_slice().shape()
    }

    fn words(&self, words: &mut Vec<u32>) {
        self.as_slice().words(words);
    }
}

impl<T: Value + ?Sized> Value for &T {
    fn scalar() -> &'static str {
        T::scalar()
    }

    fn shape(&self) -> Vec<usize> {
        T::shape(self)
    }

    fn words(&self, words: &mut Vec<u32>) {
        T::words(self, words);
    }
}

/// The words of a value that fits `len` elements of that type (0: no array), or the names of both types, found and declared.
pub(super) fn words_for<V: Value + ?Sized>(
    value: &V,
    kind: GlslType,
    len: usize,
) -> Result<Vec<u32>, (String, String)> {
    let (scalar, shape) = (V::scalar(), value.shape());
    let expected: Vec<usize> =
        [len, if kind.columns > 1 { kind.columns } else { 0 }, if kind.rows > 1 { kind.rows } else { 0 }]
            .into_iter()
            .filter(|n| *n > 0)
            .collect();
    let declared = scalar_of(kind.scalar);
    let flat = shape.len() == 1 && shape[0] == len.max(1) * kind.components();
    let mut words = Vec::new();
    value.words(&mut words);
    // Inner arrays of different lengths would shift all that come after them.
    if scalar == declared && (shape == expected || flat) && words.len() == len.max(1) * kind.components() {
        return Ok(words);
    }
    let lengths: String = shape.iter().map(|n| format!("[{n}]")).collect();
    let array = if len > 0 { format!("[{len}]") } else { String::new() };
    Err((format!("{scalar}{lengths}"), format!("{}{array}", kind.name())))
}

/// The numbers of words of that type, as 32-bit floats.
pub(super) fn numbers(scalar: Scalar, words: &[u32]) -> Vec<f32> {
    let number = |word: &u32| match scalar {
        Scalar::Float => f32::from_bits(*word),
        Scalar::Int => word.cast_signed() as f32,
        Scalar::Uint | Scalar::Bool => *word as f32,
    };
    words.iter().map(number).collect()
}

fn scalar_of(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Float => "float",
        Scalar::Int => "int",
        Scalar::Uint => "uint",
        Scalar::Bool => "bool",
    }
}
