//! The textures of a rectangle: entries and addresses, slot after slot.

use super::plan::{Plan, Rectangle};
use crate::gl::{Format, Shape, Texture};
use crate::layout::Packed2x2;
use crate::linalg::Algebra;
use crate::numeric::Csr;
use crate::{Error, Result};

/// Sides of a field whose places are 24 bits together: twelve of the row, twelve of the column behind the point.
pub(crate) const SIDE: u32 = 4096;

/// The textures of a rectangle of a [`Plan`].
pub(super) struct Sheet {
    rectangle: Rectangle,
    entries: Texture,
    addresses: Vec<Texture>,
}

/// How the addresses of a field's elements are written down: exact in a float's 24 bits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Addresses {
    /// row + column / 4096.
    One,
    /// Columns in one texture, rows in another.
    Pairs,
}

impl Addresses {
    /// The addresses of the elements of a field of that width and height.
    pub fn of(width: u32, height: u32) -> Addresses {
        if width.max(height) <= SIDE { Addresses::One } else { Addresses::Pairs }
    }

    /// The kernels' number for it.
    pub fn define(self) -> i32 {
        i32::from(self == Addresses::Pairs)
    }

    /// The numbers for a place, one for each texture.
    fn numbers(self, (column, row): (u32, u32)) -> [f32; 2] {
        match self {
            Addresses::One => [row as f32 + column as f32 / SIDE as f32, 0.0],
            Addresses::Pairs => [column as f32, row as f32],
        }
    }

    /// A texture for each number of the addresses of these places, four places a texel; none is −1.
    pub fn textures(
        self,
        algebra: &Algebra,
        (width, height): (u32, u32),
        places: &[Option<(u32, u32)>],
    ) -> Result<Vec<Texture>> {
        let number =
            |i: usize| move |place: &Option<(u32, u32)>| place.map_or(-1.0, |at| self.numbers(at)[i]);
        (0..1 + self.define() as usize)
            .map(|i| filled(algebra, (width, height), &places.iter().map(number(i)).collect::<Vec<f32>>()))
            .collect()
    }
}

impl Sheet {
    /// Uploads entries and the addresses of their columns, as [`lay_out`] has them.
    pub fn new(
        algebra: &Algebra,
        columns: Packed2x2,
        kind: Addresses,
        rectangle: Rectangle,
        places: &[usize],
        entries: &[f32],
    ) -> Result<Sheet> {
        let texels = rectangle.texels();
        let entries = filled(algebra, texels, entries)?;
        let places: Vec<_> = places.iter().map(|&column| Some(columns.place(column))).collect();
        let addresses = kind.textures(algebra, texels, &places)?;
        Ok(Sheet { rectangle, entries, addresses })
    }

    /// Its rows and slots.
    pub fn rectangle(&self) -> &Rectangle {
        &self.rectangle
    }

    /// Four entries a texel, where [`Plan::place`] says; 0 in slots that a row does not have.
    pub fn entries(&self) -> &Texture {
        &self.entries
    }

    /// The addresses of the entries' columns, laid out as the entries are.
    pub fn addresses(&self) -> &[Texture] {
        &self.addresses
    }
}

/// Something for each entry of a matrix, laid out as the textures of each rectangle are: four a texel. A slot that a row
/// does not have gets `padding` of its last entry, or `none` where the row has no entries.
pub(crate) fn lay_out<T: Copy>(
    plan: &Plan,
    pattern: &Csr,
    none: T,
    padding: impl Fn(T) -> T,
    of: impl Fn(usize, usize, f64) -> T,
) -> Vec<Vec<T>> {
    let room = |rectangle: &Rectangle| {
        let (width, height) = rectangle.texels();
        vec![none; 4 * width as usize * height as usize]
    };
    let mut laid: Vec<Vec<T>> = plan.rectangles().iter().map(room).collect();
    for row in 0..pattern.rows() {
        let entries = pattern.row(row).filter(|&(column, _)| !(plan.has_diagonal() && column == row));
        let values = entries.map(|(column, value)| of(row, column, value));
        let mut last = none;
        let mut slot = 0;
        let mut put = |value: T| {
            let Some(place) = plan.place(row, slot) else { return false };
            let width = plan.rectangles()[place.rectangle].texels().0 as usize;
            let texel = place.texel.1 as usize * width + place.texel.0 as usize;
            laid[place.rectangle][4 * texel + place.channel] = value;
            slot += 1;
            true
        };
        for value in values {
            last = padding(value);
            put(value);
        }
        while put(last) {}
    }
    laid
}

/// A texture of those texels.
pub(super) fn filled(algebra: &Algebra, (width, height): (u32, u32), values: &[f32]) -> Result<Texture> {
    let shape = Shape { width, height, format: Format::Rgba32F };
    let texture = algebra.context().texture(shape).map_err(|error| match error {
        Error::OverLimit { quantity, found, limit, .. } => {
            Error::OverLimit { what: "gather matrix".into(), quantity, found, limit }
        }
        error => error,
    })?;
    texture.upload(texture.shape().rect(), values)?;
    Ok(texture)
}
