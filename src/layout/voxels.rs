//! The layout of a voxel box: its slices side by side in one texture.
//!
//! Each slice has an empty column and an empty row, and one empty slice follows the last. So a fetch beyond the box
//! reads 0, the last staggered faces have a place, and a kernel masks fetches only where the texture itself begins.
//! Repeating textures gave the same result and cost the H200 two thirds of a fetch more.

use std::fmt;

use super::Packed2x2;
use crate::{Error, Result};

/// A box of nx × ny × nz voxels as a field that is packed 2×2: slice after slice along z side by side, in as few rows
/// of slices as the texture limit allows, so that the four voxels of a texel are neighbours in x and y, and the texel
/// above or below them is one fetch away.
///
/// Each slice is a tile of even sides with at least one empty column and one empty row at its end, and at least one
/// empty slice follows the last. What lies there is beyond the box, and holds 0. So the neighbour east of the last
/// column or above the last slice is one of those, as is the neighbour west of the first column, which is the last of
/// the slice before; only where a whole texture begins has a kernel to look. The same column, row and slice hold the last
/// faces of a staggered field, which has one more of them than there are voxels: face (i, j, k) lies between voxels
/// i − 1 and i.
///
/// Arrays on the CPU are in the order x, then y, then z: voxel (i, j, k) is element (k · ny + j) · nx + i.
///
/// # References
/// Batty, Wiebe & Houston 2003 wrap voxels row by row instead, four along x to a texel (row D1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Voxels {
    size: [u32; 3],
    /// Tiles in a row, and rows of them.
    across: u32,
    down: u32,
    layout: Packed2x2,
}

/// "100x100x100 voxels in 1 row of slices".
impl fmt::Display for Voxels {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let [nx, ny, nz] = self.size;
        let s = if self.down == 1 { "" } else { "s" };
        write!(f, "{nx}x{ny}x{nz} voxels in {} row{s} of slices", self.down)
    }
}

impl Voxels {
    /// The box of that size in textures whose sides stay within `limit` texels.
    ///
    /// # Errors
    /// [`Error::Empty`]; [`Error::OverLimit`] for a slice, or more slices, than one texture holds.
    pub fn new(size: [u32; 3], limit: u32) -> Result<Voxels> {
        let [nx, ny, nz] = size;
        let what = || format!("box of {nx}x{ny}x{nz} voxels");
        if nx == 0 || ny == 0 || nz == 0 {
            return Err(Error::Empty { what: what(), width: nx, height: ny });
        }
        let over = |quantity, found: u64, limit: u32| {
            Err(Error::OverLimit { what: what(), quantity, found, limit: limit.into() })
        };
        let (width, height) = tile(size);
        let (most_across, most_down) = (limit / width, limit / height);
        if most_across == 0 || most_down == 0 {
            return over("texels along a slice", width.max(height).into(), limit);
        }
        let slices = u64::from(nz) + 1;
        if slices > u64::from(most_across) * u64::from(most_down) {
            return over("number of slices in a texture", slices, most_across * most_down);
        }
        let down = slices.div_ceil(most_across.into()) as u32;
        let across = slices.div_ceil(down.into()) as u32;
        let layout = Packed2x2::grid(2 * width * across, 2 * height * down)?;
        Ok(Voxels { size, across, down, layout })
    }

    /// Voxels along x, y and z.
    pub fn size(&self) -> [u32; 3] {
        self.size
    }

    /// Voxels of the box.
    pub fn count(&self) -> usize {
        self.size.iter().map(|&n| n as usize).product()
    }

    /// Columns and rows of texels of a slice.
    pub fn tile(&self) -> (u32, u32) {
        tile(self.size)
    }

    /// Slices side by side, and rows of them: one row wherever the limit allows it.
    pub fn tiles(&self) -> (u32, u32) {
        (self.across, self.down)
    }

    /// How a vector of such a field lies: with all that is empty.
    pub fn layout(&self) -> Packed2x2 {
        self.layout
    }

    /// The way from a texel to the one above it, in units of the texture: a tile to the right, and a row of tiles
    /// further down where that leaves the texture.
    pub(crate) fn hop(&self) -> [f32; 4] {
        [1.0 / self.across as f32, 1.0 / self.down as f32, 0.0, 0.0]
    }

    /// Tile sides in texels and tiles in a row, as kernels take them that go from one box to another.
    pub(crate) fn tiling(&self) -> [f32; 4] {
        let (width, height) = self.tile();
        [width as f32, height as f32, self.across as f32, 0.0]
    }

    /// Column and row of a voxel in the field. Each of i, j and k may be one past the last, as faces are.
    pub fn place(&self, [i, j, k]: [u32; 3]) -> (u32, u32) {
        let (width, height) = self.tile();
        (2 * width * (k % self.across) + i, 2 * height * (k / self.across) + j)
    }

    /// Its index in a vector of [`Voxels::layout`].
    pub fn index(&self, voxel: [u32; 3]) -> usize {
        let (column, row) = self.place(voxel);
        row as usize * self.layout.width() as usize + column as usize
    }

    /// All voxels in the order of arrays.
    pub fn all(&self) -> impl Iterator<Item = [u32; 3]> + use<> {
        within(self.size)
    }

    /// An array of one value a voxel as the elements of a vector, 0 beyond the box.
    ///
    /// # Errors
    /// [`Error::WrongLength`].
    pub fn spread<T: Copy + Default>(&self, values: &[T]) -> Result<Vec<T>> {
        self.spread_of(self.size, values)
    }

    /// The same of the faces across `axis` (0, 1, 2), one more along it than there are voxels.
    ///
    /// # Errors
    /// [`Error::WrongLength`].
    pub fn spread_faces<T: Copy + Default>(&self, axis: usize, values: &[T]) -> Result<Vec<T>> {
        self.spread_of(self.faces(axis), values)
    }

    fn spread_of<T: Copy + Default>(&self, size: [u32; 3], values: &[T]) -> Result<Vec<T>> {
        let expected = size.iter().map(|&n| n as usize).product();
        if values.len() != expected {
            let [nx, ny, nz] = size;
            let (what, shape) = ("field of voxels".to_owned(), format!("{nx}x{ny}x{nz}"));
            return Err(Error::WrongLength { what, found: values.len(), expected, shape });
        }
        let mut field = vec![T::default(); self.layout().len()];
        for (voxel, &value) in within(size).zip(values) {
            field[self.index(voxel)] = value;
        }
        Ok(field)
    }

    /// The voxels' values out of the elements of a vector.
    ///
    /// # Panics
    /// If those are fewer than the layout has.
    pub fn collect<T: Copy>(&self, field: &[T]) -> Vec<T> {
        self.all().map(|voxel| field[self.index(voxel)]).collect()
    }

    /// The values of the faces across `axis`.
    ///
    /// # Panics
    /// As [`Voxels::collect`].
    pub fn collect_faces<T: Copy>(&self, axis: usize, field: &[T]) -> Vec<T> {
        within(self.faces(axis)).map(|face| field[self.index(face)]).collect()
    }

    /// Faces across an axis, along x, y and z.
    pub fn faces(&self, axis: usize) -> [u32; 3] {
        let mut size = self.size;
        size[axis] += 1;
        size
    }

    /// The box of half the size, rounded up, under the same limit: what a coarser level has.
    pub(crate) fn halved(&self, limit: u32) -> Result<Voxels> {
        Voxels::new(self.size.map(|n| n.div_ceil(2)), limit)
    }
}

fn tile([nx, ny, _]: [u32; 3]) -> (u32, u32) {
    (nx / 2 + 1, ny / 2 + 1)
}

fn within([nx, ny, nz]: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..nz).flat_map(move |k| (0..ny).flat_map(move |j| (0..nx).map(move |i| [i, j, k])))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: [[u32; 3]; 8] =
        [[1, 1, 1], [2, 1, 1], [1, 2, 3], [3, 3, 3], [4, 5, 6], [7, 11, 13], [16, 8, 4], [1, 1, 17]];

    /// Boxes in one row of slices and in several.
    fn boxes() -> impl Iterator<Item = (Voxels, u32)> {
        let fits = |size, limit| Voxels::new(size, limit).ok().map(|voxels| (voxels, limit));
        SIZES
            .into_iter()
            .flat_map(move |size| [4096, 32, 16, 9].into_iter().filter_map(move |limit| fits(size, limit)))
    }

    #[test]
    fn every_voxel_has_its_own_place_and_comes_back_from_there() -> Result<()> {
        assert!(boxes().filter(|(voxels, _)| voxels.tiles().1 > 1).count() > 5);
        for (voxels, _) in boxes() {
            let numbers: Vec<u32> = (1..=voxels.count() as u32).collect();
            let field = voxels.spread(&numbers)?;
            assert_eq!(voxels.collect(&field), numbers, "{voxels}");
            assert_eq!(field.iter().filter(|&&v| v != 0).count(), numbers.len(), "{voxels}");
            for axis in 0..3 {
                let count = voxels.faces(axis).iter().product();
                let faces: Vec<u32> = (1..=count).collect();
                assert_eq!(voxels.collect_faces(axis, &voxels.spread_faces(axis, &faces)?), faces);
            }
        }
        Ok(())
    }

    /// Holds what the kernels rely on: a step out of the box, also over the edge of the texture, meets an empty place.
    #[test]
    fn beyond_the_box_lies_nothing_whichever_way() -> Result<()> {
        for (voxels, limit) in boxes() {
            let field = voxels.spread(&vec![1; voxels.count()])?;
            let (width, height) = (voxels.layout().width(), voxels.layout().height());
            let ((tile_width, tile_height), (across, down)) = (voxels.tile(), voxels.tiles());
            assert!(width <= 2 * limit && height <= 2 * limit);
            assert!(down == 1 || across * tile_width > limit / 2, "{voxels} could be wider");
            for [i, j, k] in voxels.all() {
                let (column, row) = voxels.place([i, j, k]);
                let at =
                    |dx: u32, dy: u32| field[((row + dy) % height * width + (column + dx) % width) as usize];
                let (row_of_tiles, last) = (2 * tile_height, 2 * tile_width * (across - 1));
                let above =
                    if column >= last { at(2 * tile_width, row_of_tiles) } else { at(2 * tile_width, 0) };
                let below = if column < 2 * tile_width {
                    at(last, height - row_of_tiles)
                } else {
                    at(width - 2 * tile_width, 0)
                };
                let found = [at(width - 1, 0), at(1, 0), at(0, height - 1), at(0, 1), below, above];
                let [nx, ny, nz] = voxels.size();
                let inside = [i > 0, i + 1 < nx, j > 0, j + 1 < ny, k > 0, k + 1 < nz];
                assert_eq!(found, inside.map(i32::from), "{voxels} {i} {j} {k}");
            }
        }
        Ok(())
    }

    #[test]
    fn boxes_without_voxels_and_past_the_limit_are_refused() {
        assert!(matches!(Voxels::new([3, 0, 3], 64), Err(Error::Empty { .. })));
        assert!(matches!(Voxels::new([130, 3, 3], 64), Err(Error::OverLimit { found: 66, limit: 64, .. })));
        assert!(matches!(Voxels::new([62, 62, 4], 64), Err(Error::OverLimit { found: 5, limit: 4, .. })));
        assert!(matches!(Voxels::new([62, 62, 3], 64), Ok(Voxels { across: 2, down: 2, .. })));
    }
}
