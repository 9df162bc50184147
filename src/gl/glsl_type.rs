//! The types of GLSL that constants, uniforms and attributes have.

use glow::HasContext;

/// The numbers that a type is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    Float,
    Int,
    Uint,
    Bool,
}

impl Scalar {
    /// The 32 bits of a number, if this type has it; a float is rounded.
    pub fn word(self, number: f64) -> Option<u32> {
        let whole = number.fract() == 0.0;
        match self {
            Scalar::Float => Some((number as f32).to_bits()),
            Scalar::Int if whole && (-2_147_483_648.0..2_147_483_648.0).contains(&number) => {
                Some((number as i32).cast_unsigned())
            }
            Scalar::Uint if whole && (0.0..4_294_967_296.0).contains(&number) => Some(number as u32),
            Scalar::Bool if number == 0.0 || number == 1.0 => Some(number as u32),
            _ => None,
        }
    }

    /// The numbers of words of this type, as 32-bit floats.
    #[cfg(any(feature = "testing", feature = "trace"))]
    pub fn numbers(self, words: &[u32]) -> Vec<f32> {
        let number = |word: &u32| match self {
            Scalar::Float => f32::from_bits(*word),
            Scalar::Int => word.cast_signed() as f32,
            Scalar::Uint | Scalar::Bool => *word as f32,
        };
        words.iter().map(number).collect()
    }
}

/// A scalar, a vector (one column) or a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GlslType {
    pub scalar: Scalar,
    pub columns: usize,
    pub rows: usize,
}

impl GlslType {
    /// The type of OpenGL's number; none of samplers.
    pub fn of(code: u32) -> Option<GlslType> {
        let vector = |scalar, rows| Some(GlslType { scalar, columns: 1, rows });
        let matrix = |columns, rows| Some(GlslType { scalar: Scalar::Float, columns, rows });
        match code {
            glow::FLOAT => vector(Scalar::Float, 1),
            glow::FLOAT_VEC2 => vector(Scalar::Float, 2),
            glow::FLOAT_VEC3 => vector(Scalar::Float, 3),
            glow::FLOAT_VEC4 => vector(Scalar::Float, 4),
            glow::INT => vector(Scalar::Int, 1),
            glow::INT_VEC2 => vector(Scalar::Int, 2),
            glow::INT_VEC3 => vector(Scalar::Int, 3),
            glow::INT_VEC4 => vector(Scalar::Int, 4),
            glow::UNSIGNED_INT => vector(Scalar::Uint, 1),
            glow::UNSIGNED_INT_VEC2 => vector(Scalar::Uint, 2),
            glow::UNSIGNED_INT_VEC3 => vector(Scalar::Uint, 3),
            glow::UNSIGNED_INT_VEC4 => vector(Scalar::Uint, 4),
            glow::BOOL => vector(Scalar::Bool, 1),
            glow::BOOL_VEC2 => vector(Scalar::Bool, 2),
            glow::BOOL_VEC3 => vector(Scalar::Bool, 3),
            glow::BOOL_VEC4 => vector(Scalar::Bool, 4),
            glow::FLOAT_MAT2 => matrix(2, 2),
            glow::FLOAT_MAT2x3 => matrix(2, 3),
            glow::FLOAT_MAT2x4 => matrix(2, 4),
            glow::FLOAT_MAT3x2 => matrix(3, 2),
            glow::FLOAT_MAT3 => matrix(3, 3),
            glow::FLOAT_MAT3x4 => matrix(3, 4),
            glow::FLOAT_MAT4x2 => matrix(4, 2),
            glow::FLOAT_MAT4x3 => matrix(4, 3),
            glow::FLOAT_MAT4 => matrix(4, 4),
            _ => None,
        }
    }

    /// Values of one element.
    pub const fn components(self) -> usize {
        self.columns * self.rows
    }

    /// Hands whole elements of this type to a uniform.
    ///
    /// # Safety
    /// The location belongs to the program in use and has this type; the words are whole elements of it.
    pub unsafe fn set(self, gl: &glow::Context, location: &glow::UniformLocation, words: &[u32]) {
        let location = Some(location);
        let (floats, ints): (&[f32], &[i32]) = (bytemuck::cast_slice(words), bytemuck::cast_slice(words));
        // SAFETY: as above.
        unsafe {
            match (self.scalar, self.columns, self.rows) {
                (Scalar::Float, 1, 1) => gl.uniform_1_f32_slice(location, floats),
                (Scalar::Float, 1, 2) => gl.uniform_2_f32_slice(location, floats),
                (Scalar::Float, 1, 3) => gl.uniform_3_f32_slice(location, floats),
                (Scalar::Float, 1, _) => gl.uniform_4_f32_slice(location, floats),
                (Scalar::Float, 2, 2) => gl.uniform_matrix_2_f32_slice(location, false, floats),
                (Scalar::Float, 2, 3) => gl.uniform_matrix_2x3_f32_slice(location, false, floats),
                (Scalar::Float, 2, _) => gl.uniform_matrix_2x4_f32_slice(location, false, floats),
                (Scalar::Float, 3, 2) => gl.uniform_matrix_3x2_f32_slice(location, false, floats),
                (Scalar::Float, 3, 3) => gl.uniform_matrix_3_f32_slice(location, false, floats),
                (Scalar::Float, 3, _) => gl.uniform_matrix_3x4_f32_slice(location, false, floats),
                (Scalar::Float, _, 2) => gl.uniform_matrix_4x2_f32_slice(location, false, floats),
                (Scalar::Float, _, 3) => gl.uniform_matrix_4x3_f32_slice(location, false, floats),
                (Scalar::Float, ..) => gl.uniform_matrix_4_f32_slice(location, false, floats),
                (Scalar::Uint, _, 1) => gl.uniform_1_u32_slice(location, words),
                (Scalar::Uint, _, 2) => gl.uniform_2_u32_slice(location, words),
                (Scalar::Uint, _, 3) => gl.uniform_3_u32_slice(location, words),
                (Scalar::Uint, ..) => gl.uniform_4_u32_slice(location, words),
                (Scalar::Int | Scalar::Bool, _, 1) => gl.uniform_1_i32_slice(location, ints),
                (Scalar::Int | Scalar::Bool, _, 2) => gl.uniform_2_i32_slice(location, ints),
                (Scalar::Int | Scalar::Bool, _, 3) => gl.uniform_3_i32_slice(location, ints),
                (Scalar::Int | Scalar::Bool, ..) => gl.uniform_4_i32_slice(location, ints),
            }
        }
    }

    /// A float or a vector of floats.
    pub const fn is_float_vector(self) -> bool {
        matches!(self.scalar, Scalar::Float) && self.columns == 1
    }

    /// GLSL's name.
    pub fn name(self) -> String {
        let (scalar, vector) = match self.scalar {
            Scalar::Float => ("float", "vec"),
            Scalar::Int => ("int", "ivec"),
            Scalar::Uint => ("uint", "uvec"),
            Scalar::Bool => ("bool", "bvec"),
        };
        match (self.columns, self.rows) {
            (1, 1) => scalar.to_owned(),
            (1, rows) => format!("{vector}{rows}"),
            (columns, rows) if columns == rows => format!("mat{columns}"),
            (columns, rows) => format!("mat{columns}x{rows}"),
        }
    }
}

/// The name of a sampler that is not `sampler2D`, by OpenGL's number.
#[cfg(feature = "testing")]
pub(crate) fn sampler_name(code: u32) -> String {
    match code {
        glow::SAMPLER_3D => "sampler3D".to_owned(),
        glow::SAMPLER_CUBE => "samplerCube".to_owned(),
        glow::SAMPLER_2D_SHADOW => "sampler2DShadow".to_owned(),
        glow::SAMPLER_CUBE_SHADOW => "samplerCubeShadow".to_owned(),
        other => format!("a type of OpenGL's number {other:#06x}"),
    }
}
