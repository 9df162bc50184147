//! The types of GLSL that uniforms and attributes of an application have.

/// The numbers that a type is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    Float,
    Int,
    Uint,
    Bool,
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
pub(crate) fn sampler_name(code: u32) -> String {
    match code {
        glow::SAMPLER_3D => "sampler3D".to_owned(),
        glow::SAMPLER_CUBE => "samplerCube".to_owned(),
        glow::SAMPLER_2D_SHADOW => "sampler2DShadow".to_owned(),
        glow::SAMPLER_CUBE_SHADOW => "samplerCubeShadow".to_owned(),
        other => format!("a type of OpenGL's number {other:#06x}"),
    }
}
