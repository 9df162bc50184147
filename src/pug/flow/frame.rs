//! Static branch resolution: the interior of a grid, and its edges.

use super::super::Rect;

/// The texels of `whole` that are at least `width` away from its edges, and the rest as disjoint ranges.
///
/// A kernel with a special case at the edges of a grid tests every texel for the edge, although the answer is known
/// before anything is drawn. Two kernels without the test, each on its own ranges, save the test, and the interior
/// saves the registers and fetches of the other side. Each pass has a cost of its own, so one kernel is faster on small
/// grids, or where the edge differs by an operation or two.
///
/// There is no interior if the grid is no wider than its two edges: then all of it is edge.
///
/// # Example
/// ```
/// use quadrille::pug::{Rect, frame};
///
/// let (interior, edges) = frame(Rect::whole(8, 5), 1);
/// assert_eq!(interior, Some(Rect::new(1, 1, 7, 4)));
/// // Two whole rows, and the columns between them.
/// assert_eq!(edges[..2], [Rect::new(0, 0, 8, 1), Rect::new(0, 4, 8, 5)]);
/// assert_eq!(edges[2..], [Rect::new(0, 1, 1, 4), Rect::new(7, 1, 8, 4)]);
/// assert_eq!(frame(Rect::whole(7, 2), 1), (None, vec![Rect::whole(7, 2)]));
/// ```
///
/// # References
/// Harris, course slide 35.
pub fn frame(whole: Rect, width: u32) -> (Option<Rect>, Vec<Rect>) {
    if whole.area() == 0 || width == 0 {
        return (Some(whole).filter(|whole| whole.area() > 0), Vec::new());
    }
    let Rect { x0, y0, x1, y1 } = whole;
    // In halves, so that no width overflows.
    if width >= whole.width().div_ceil(2) || width >= whole.height().div_ceil(2) {
        return (None, vec![whole]);
    }
    let inner = Rect::new(x0 + width, y0 + width, x1 - width, y1 - width);
    let edges = vec![
        Rect::new(x0, y0, x1, inner.y0),
        Rect::new(x0, inner.y1, x1, y1),
        Rect::new(x0, inner.y0, inner.x0, inner.y1),
        Rect::new(inner.x1, inner.y0, x1, inner.y1),
    ];
    (Some(inner), edges)
}
