//! Values of constants and uniforms: Rust's types as GLSL's.

use crate::gl::{GlslType, Scalar};

/// A value of a constant or a uniform: `f32`, `i32`, `u32`, `bool`, arrays and slices of them.
///
/// `[f32; 3]` is a `vec3`, `[i32; 2]` an `ivec2`, `[bool; 4]` a `bvec4`, `[[f32; 3]; 3]` a `mat3` whose columns are the inner arrays, and one more array around is GLSL's
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

/// Puts the words of a value that fits `len` elements of that type (0: no array) in the place of those before, or returns the names of
/// both types, found and declared.
pub(crate) fn words_for<V: Value + ?Sized>(
    value: &V,
    kind: GlslType,
    len: usize,
    words: &mut Vec<u32>,
) -> Result<(), (String, String)> {
    let (scalar, shape) = (V::scalar(), value.shape());
    let lengths =
        [len, if kind.columns > 1 { kind.columns } else { 0 }, if kind.rows > 1 { kind.rows } else { 0 }];
    let expected = lengths.iter().filter(|n| **n > 0);
    let count = len.max(1) * kind.components();
    let fits = shape.iter().eq(expected) || matches!(shape[..], [n] if n == count);
    if scalar == scalar_of(kind.scalar) && fits {
        let before = words.len();
        value.words(words);
        // Inner arrays of different lengths would shift all that come after them.
        if words.len() - before == count {
            words.drain(..before);
            return Ok(());
        }
        words.truncate(before);
    }
    let array = if len > 0 { format!("[{len}]") } else { String::new() };
    Err((spelled(scalar, &shape, len > 0), format!("{}{array}", kind.name())))
}

/// GLSL's name of a value, where it is to be an array or not: `[f32; 3]` is a `vec3`, or a `float[3]`.
fn spelled(scalar: &str, shape: &[usize], array: bool) -> String {
    let small = |n: &usize| (2..=4).contains(n);
    let letter = if scalar == "float" { "" } else { &scalar[..1] };
    match shape {
        [] => scalar.to_owned(),
        [rows] if small(rows) && !array => format!("{letter}vec{rows}"),
        [columns, rows] if small(columns) && small(rows) && !array && scalar == "float" => {
            match columns == rows {
                true => format!("mat{rows}"),
                false => format!("mat{columns}x{rows}"),
            }
        }
        [len, rows] if small(rows) => format!("{letter}vec{rows}[{len}]"),
        _ => shape.iter().fold(scalar.to_owned(), |name, n| format!("{name}[{n}]")),
    }
}

fn scalar_of(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Float => "float",
        Scalar::Int => "int",
        Scalar::Uint => "uint",
        Scalar::Bool => "bool",
    }
}
