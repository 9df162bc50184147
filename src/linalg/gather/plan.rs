//! The place of each entry of a matrix in the textures. No GPU here.

use super::Costs;
use super::classes::{Class, classes};
use crate::layout::{Fold, Packed2x2, Rect};
use crate::numeric::Csr;
use crate::{Error, Result};

/// Rectangles of rows with equally many slots, and the order of rows that makes them so.
///
/// Four rows that share a texel of a product's result are a group; a slot of a group is a texel of four entries and one
/// of their four addresses. Slot s of all groups of a rectangle is a *plane* of the rectangle's size; planes lie one below
/// the other, and where a texture ends go on beside themselves.
///
/// Without an order the groups are those of the result's own layout. With one, rows stand sorted by length, the longest
/// first, and a last pass brings their sums home.
pub(crate) struct Plan {
    rectangles: Vec<Rectangle>,
    order: Option<Order>,
    rows: Packed2x2,
    limit: u32,
    /// True if the main diagonal is apart: that takes a result in the layout of x.
    diagonal: bool,
    cost: f64,
}

/// Groups that are drawn together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rectangle {
    /// The texels of the sums that it writes: one for each group.
    pub range: Rect,
    /// Slots of each of its rows.
    pub slots: u32,
    /// Planes below each other, before the next ones go beside them.
    pub down: u32,
}

/// Rows by their lengths.
pub(super) struct Order {
    /// Columns and rows of the texture of sums.
    pub texels: (u32, u32),
    /// Column and row of each row's sum, where the texture of sums is a field packed 2×2; none for a row without slots.
    pub places: Vec<Option<(u32, u32)>>,
}

/// A place in the textures of a rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Which rectangle.
    pub rectangle: usize,
    /// Column and row of the texel.
    pub texel: (u32, u32),
    /// Which of its four channels.
    pub channel: usize,
}

/// Slots from which few groups are better cut into parts, for which their sums must lie apart.
const LONG: usize = 256;

/// Groups that are few: more keep any GPU busy.
pub(super) const FEW: usize = 16_384;

impl Rectangle {
    /// Texels of the textures that hold its planes.
    pub fn texels(&self) -> (u32, u32) {
        (self.range.width() * self.slots.div_ceil(self.down), self.range.height() * self.down.min(self.slots))
    }

    /// Where the plane of a slot begins.
    pub fn plane(&self, slot: u32) -> (u32, u32) {
        (self.range.width() * (slot / self.down), self.range.height() * (slot % self.down))
    }
}

impl Plan {
    /// The plan of the least cost, by structure alone.
    ///
    /// # Errors
    /// [`Error::OverLimit`] for a row of more slots than a texture has texels.
    pub fn new(
        pattern: &Csr,
        rows: Packed2x2,
        columns: Packed2x2,
        limit: u32,
        costs: &Costs,
    ) -> Result<Plan> {
        let (diagonal, lengths) = Plan::lengths(pattern, rows, columns);
        let longest = lengths.iter().copied().max().unwrap_or(0).max(1);
        let mut sorted: Vec<usize> = (0..lengths.len()).filter(|&row| lengths[row] > 0).collect();
        sorted.sort_by_key(|&row| std::cmp::Reverse(lengths[row]));
        let groups: Vec<usize> = sorted.iter().step_by(4).map(|&row| lengths[row]).collect();
        let classes = classes(&groups, costs);

        let (width, height) = rows.texels();
        let area = Rect::whole(width, height).area();
        let in_place = costs.class(area, longest);
        let sum = |class: &Class| costs.class(class.groups, class.slots);
        let ordered = costs.order(area) + classes.iter().map(sum).sum::<f64>();
        let alone = longest > LONG && area < FEW;
        let plan = |cost| Plan { rectangles: Vec::new(), order: None, rows, limit, diagonal, cost };
        if (alone || ordered < in_place)
            && let Some(folds) = folds(&classes, limit, costs.width)
        {
            return plan(ordered).sorted_by_length(&sorted, lengths.len(), &classes, &folds);
        }
        plan(in_place).with_rectangles(Rect::whole(width, height), longest)
    }

    /// The plan of rows that stay where they are in the result, whatever their lengths.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn in_place(pattern: &Csr, rows: Packed2x2, columns: Packed2x2, limit: u32) -> Result<Plan> {
        let (diagonal, lengths) = Plan::lengths(pattern, rows, columns);
        let longest = lengths.into_iter().max().unwrap_or(0).max(1);
        let (width, height) = rows.texels();
        let plan = Plan { rectangles: Vec::new(), order: None, rows, limit, diagonal, cost: 0.0 };
        plan.with_rectangles(Rect::whole(width, height), longest)
    }

    /// Returns true if the main diagonal is apart, and the slots that each row needs.
    fn lengths(pattern: &Csr, rows: Packed2x2, columns: Packed2x2) -> (bool, Vec<usize>) {
        let diagonal = rows == columns && (0..pattern.rows()).any(|i| pattern.row(i).any(|(j, _)| i == j));
        let length =
            |row: usize| pattern.row(row).filter(|&(column, _)| !(diagonal && column == row)).count();
        (diagonal, (0..pattern.rows()).map(length).collect())
    }

    /// One class below the other in the texture of sums, each row where its length puts it.
    fn sorted_by_length(
        mut self,
        sorted: &[usize],
        rows: usize,
        classes: &[Class],
        folds: &[Fold],
    ) -> Result<Plan> {
        let mut places = vec![None; rows];
        let mut rest = sorted;
        let mut texels = (0, 0);
        for (class, fold) in classes.iter().zip(folds) {
            let (own, others) = rest.split_at(rest.len().min(4 * class.groups));
            for (k, &row) in own.iter().enumerate() {
                let (x, y) = fold.texel(k / 4);
                let (odd, lower) = ((k % 2) as u32, (k % 4 / 2) as u32);
                places[row] = Some((2 * x + odd, 2 * (texels.1 + y) + lower));
            }
            rest = others;
            let range = Rect::new(0, texels.1, fold.width, texels.1 + fold.height);
            self = self.with_rectangles(range, class.slots)?;
            texels = (texels.0.max(fold.width), range.y1);
        }
        self.order = Some(Order { texels, places });
        Ok(self)
    }

    /// Adds the groups of `range`, cut into bands of rows so that the planes of each fit a texture.
    fn with_rectangles(mut self, range: Rect, slots: usize) -> Result<Plan> {
        let across = self.limit / range.width(); // planes side by side
        let down = slots.div_ceil(across.max(1) as usize); // and so many below each other, at least
        let rows = self.limit / u32::try_from(down).unwrap_or(u32::MAX);
        if across == 0 || rows == 0 {
            let what = format!("gather matrix with rows of {slots} entries");
            let (found, limit) = (slots as u64 * u64::from(range.width()), u64::from(self.limit).pow(2));
            return Err(Error::OverLimit { what, quantity: "number of texels", found, limit });
        }
        for y in (range.y0..range.y1).step_by(rows as usize) {
            let range = Rect { y0: y, y1: (y + rows).min(range.y1), ..range };
            let (slots, down) = (slots as u32, (self.limit / range.height()).min(slots as u32));
            self.rectangles.push(Rectangle { range, slots, down });
        }
        Ok(self)
    }

    pub fn rectangles(&self) -> &[Rectangle] {
        &self.rectangles
    }

    /// Returns true if rows stand in the order of their lengths.
    pub fn is_sorted(&self) -> bool {
        self.order.is_some()
    }

    pub(super) fn order(&self) -> Option<&Order> {
        self.order.as_ref()
    }

    /// Returns true if the main diagonal is apart, a texture in the layout of x: then it takes no slots.
    pub fn has_diagonal(&self) -> bool {
        self.diagonal
    }

    /// The cost of its passes, in fetches.
    pub(super) fn cost(&self) -> f64 {
        self.cost
    }

    /// Slots of all rows together, empty ones among them.
    pub fn slots(&self) -> usize {
        let slots = |rectangle: &Rectangle| 4 * rectangle.range.area() * rectangle.slots as usize;
        self.rectangles.iter().map(slots).sum()
    }

    /// Columns and rows of the texture that the rectangles write.
    pub(super) fn texels(&self) -> (u32, u32) {
        self.order.as_ref().map_or(self.rows.texels(), |order| order.texels)
    }

    /// Where slot `slot` of a row lies: slots hold the row's entries from the left, without the diagonal where that is
    /// apart, and then nothing. None past the slots of the row's rectangle.
    pub fn place(&self, row: usize, slot: usize) -> Option<Place> {
        let (column, line) = match &self.order {
            Some(order) => order.places[row]?,
            None => self.rows.place(row),
        };
        let (x, y) = (column / 2, line / 2);
        let rectangle = self.rectangles.partition_point(|r| r.range.y1 <= y);
        let found = self.rectangles.get(rectangle)?;
        let slot = u32::try_from(slot).ok().filter(|&slot| slot < found.slots)?;
        let (left, top) = found.plane(slot);
        let texel = (left + x, top + y - found.range.y0);
        Some(Place { rectangle, texel, channel: (2 * (line % 2) + column % 2) as usize })
    }
}

/// The rectangles of classes: as wide as asked for, or as square as can be, or as wide as a texture, whichever is the first
/// to fit into one below each other. None for no classes, and where nothing fits.
fn folds(classes: &[Class], limit: u32, width: Option<u32>) -> Option<Vec<Fold>> {
    let fold = |class: &Class, width: Option<u32>| {
        let len = class.groups;
        let root = len.isqrt() + usize::from(len.isqrt().pow(2) < len);
        let width = width.map_or(root, |width| width as usize).clamp(1, len.min(limit as usize));
        Fold { len, width: width as u32, height: len.div_ceil(width) as u32 }
    };
    let widths = [width, None, Some(limit)].into_iter();
    let mut tried = widths.map(|width| classes.iter().map(|class| fold(class, width)).collect::<Vec<Fold>>());
    let fits =
        |folds: &Vec<Fold>| folds.iter().map(|fold| u64::from(fold.height)).sum::<u64>() <= limit.into();
    tried.find(fits).filter(|folds| !folds.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(groups: &[usize], limit: u32, width: Option<u32>) -> Option<Vec<(u32, u32)>> {
        let classes: Vec<Class> = groups.iter().map(|&groups| Class { groups, slots: 1 }).collect();
        let folds = folds(&classes, limit, width)?;
        Some(folds.iter().map(|fold| (fold.width, fold.height)).collect())
    }

    #[test]
    fn rectangles_are_as_wide_as_asked_for_where_they_fit() {
        assert_eq!(sizes(&[100, 3], 64, Some(8)), Some(vec![(8, 13), (3, 1)]));
        assert_eq!(sizes(&[100, 3], 64, None), Some(vec![(10, 10), (2, 2)]));
        assert_eq!(sizes(&[1000, 3], 64, Some(8)), Some(vec![(32, 32), (2, 2)]));
        assert_eq!(sizes(&[1000, 1000, 1000], 64, None), Some(vec![(64, 16); 3]));
        assert_eq!(sizes(&[4000, 100], 64, None), None);
        assert_eq!(sizes(&[], 64, None), None);
    }
}
