//! Sums that end on the CPU: the last passes draw almost nothing, and a read-back of a few texels costs little more
//! than one of a single texel.

use super::{Reduction, Rest, Terms, halvings};
use crate::Result;
use crate::gl::{Rounding, Shape, Texture};

impl Reduction {
    /// Σ over all components of all terms: passes until [`Reduction::stop_at`] texels are left, which are read back
    /// and summed in f64 (row D3). The operator is a sum.
    pub(crate) fn total(&self, terms: Terms) -> Result<f64> {
        let Shape { width, height, format } = terms.texture().shape();
        let mut rest = Rest { width, height, tail: width };
        let mut newest: Option<Texture> = None;
        loop {
            let terms = match &newest {
                None => terms,
                Some(newest) if rest.texels() <= self.stop_at.max(1) => {
                    let values = newest.read(newest.shape().rect())?;
                    return Ok(values.into_iter().map(f64::from).sum());
                }
                Some(newest) => Terms::Values(newest),
            };
            let (x, y) = (halvings(rest.width), halvings(rest.height));
            let (key, next) = self.next(rest, x, y, (Rounding::None, terms));
            let target = self.context.texture(next.shape(format))?;
            self.pass(terms, (&[&target], target.shape().rect()), key, rest)?;
            (rest, newest) = (next, Some(target));
        }
    }
}
