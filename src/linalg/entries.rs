//! Operations on the entries of matrices on the GPU (chapter 44, §44.1).
//!
//! Entries are scaled, added, replaced or made from vectors without a read-back. The f64 copy that a solver needs is
//! read back when it is asked for. A matrix of points keeps its vertices; its entries move into a texture with the
//! first change, because a pass cannot write a vertex buffer.

use std::collections::BTreeMap;

use super::{Algebra, Factor, Scalar};
use crate::gl::{Format, Geometry, Kernel, Rounding, Shape, Texture};
use crate::{Error, Result, kernels};

const ENTRIES: &str = "linalg/entries.frag";

/// Entries = a entries; an entry of 0 stays 0 for every a. One pass for each texture; then all textures are exchanged.
pub(super) fn scale(algebra: &Algebra, a: Factor, textures: &mut [Texture]) -> Result<()> {
    let scaled =
        textures.iter().map(|texture| draw(algebra, a, texture, None)).collect::<Result<Vec<_>>>()?;
    textures.iter_mut().zip(scaled).for_each(|(texture, scaled)| *texture = scaled);
    Ok(())
}

/// Entries = entries + a others, in the same storage; an entry of 0 adds nothing for every a. One pass for each texture
/// that has a counterpart.
pub(super) fn add(
    algebra: &Algebra,
    a: Factor,
    textures: &mut [Texture],
    others: &[Option<&Texture>],
) -> Result<()> {
    let sum = |(texture, other): (&Texture, &Option<&Texture>)| {
        other.map(|other| draw(algebra, a, texture, Some(other))).transpose()
    };
    let sums = textures.iter().zip(others).map(sum).collect::<Result<Vec<_>>>()?;
    for (texture, sum) in textures.iter_mut().zip(sums) {
        if let Some(sum) = sum {
            *texture = sum;
        }
    }
    Ok(())
}

fn draw(algebra: &Algebra, a: Factor, entries: &Texture, others: Option<&Texture>) -> Result<Texture> {
    if a.scalar.is_some_and(|scalar| !scalar.algebra().is(algebra)) {
        return Err(Error::OtherContext { what: "a scalar".into() });
    }
    let target = algebra.context().texture(entries.shape())?;
    let operation = i32::from(others.is_some());
    let kind = if a.scalar.is_some() { 2 } else { 1 };
    algebra
        .pass(ENTRIES, &[("OPERATION", operation), ("A", kind)])?
        .streams([entries])
        .streams(others)
        .streams(a.scalar.map(Scalar::texture))
        .constants(&[[a.constant, 0.0, 0.0, 0.0]])
        .onto(&[&target])?;
    Ok(target)
}

/// New entries of a texture, by texel.
#[derive(Default)]
pub(super) struct Replacements(BTreeMap<(u32, u32), [Option<f32>; 4]>);

const ATTRIBUTES: [(&str, usize); 4] = [("home", 2), ("slot", 2), ("values", 4), ("counts", 4)];

impl Replacements {
    /// A new entry; the last one of a place counts.
    pub fn put(&mut self, texel: (u32, u32), channel: usize, value: f32) {
        self.0.entry(texel).or_default()[channel] = Some(value);
    }

    /// Replaces the listed entries only. Takes two passes of a point for each texel, the first into a small texture,
    /// because no pass may read its own target.
    pub fn draw(&self, algebra: &Algebra, entries: &Texture) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let count = self.0.len() as u32;
        let width = count.min(algebra.gpu().limits().texture_size);
        let shape = Shape { width, height: count.div_ceil(width), format: Format::Rgba32F };
        let aside = algebra.context().texture(shape)?;
        let mut values = Vec::with_capacity(12 * self.0.len());
        for (number, (&(x, y), four)) in (0..count).zip(&self.0) {
            values.extend([x, y, number % width, number / width].map(|place| place as f32));
            values.extend(four.map(|entry| entry.unwrap_or(0.0)));
            values.extend(four.map(|entry| f32::from(u8::from(entry.is_some()))));
        }
        let vertices = algebra.gpu().vertices(&ATTRIBUTES, &values)?;
        for (home, source, target) in [(0, entries, &aside), (1, &aside, entries)] {
            let kernel = |name| Ok(kernels::named(name)?.define("HOME", home));
            let (vertex, fragment): (Kernel, Kernel) =
                (kernel("linalg/replace.vert")?, kernel("linalg/replace.frag")?);
            let replace = algebra.context().compile_scatter(&vertex, &fragment, Rounding::None)?;
            algebra
                .context()
                .pass(replace)
                .streams([source])
                .geometry(Geometry::Points(&vertices))
                .onto(&[target])?;
        }
        Ok(())
    }
}

/// Refuses an entry outside the matrix, by its row and column.
pub(super) fn check_inside(entries: &[(usize, usize, f64)], (rows, columns): (usize, usize)) -> Result<()> {
    match entries.iter().find(|&&(row, column, _)| row >= rows || column >= columns) {
        None => Ok(()),
        Some(&(row, column, _)) => Err(Error::OutsideMatrix { row, column, rows, columns }),
    }
}

/// An entry that is to be replaced and that the storage has no place for.
pub(super) fn no_place(what: &str, (row, column): (usize, usize)) -> Error {
    let expected = "an entry that it stores".to_owned();
    Error::BadParameter { name: "entry", found: format!("row {row}, column {column} of a {what}"), expected }
}
