//! The transfer between two levels: restriction, prolongation, and the coarse side of each side of the grid.
//!
//! Where the finer side is even, the coarse side has one node beyond its end. So bilinear interpolation has no
//! exception, and every size converges as 2ʲ + 1 does. Clamping there instead reduced the residual by only 1.5 a cycle
//! at Dirichlet edges.

use crate::Result;
use crate::layout::Edges;
use crate::linalg::{LinearOperator, NinePoint, Packed2x2, Vector};

const RESTRICT: &str = "solve/multigrid_restrict.frag";
const DESCEND: &str = "solve/multigrid_descend.frag";
const PROLONG: &str = "solve/multigrid_prolong.frag";

/// A side of a level and of the next coarser one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub fine: u32,
    pub coarse: u32,
    /// True if interpolation goes on around the end: on an even periodic side, and where two nodes become one.
    pub wraps: bool,
    /// True if it is odd and periodic: the last coarse node is a fine step before the first.
    pub seam: bool,
}

impl Side {
    fn new(fine: u32, periodic: bool) -> Side {
        let coarse = coarse_nodes(fine, periodic);
        let even = fine.is_multiple_of(2);
        Side { fine, coarse, wraps: fine == 2 || (periodic && even), seam: periodic && !even && fine > 1 }
    }

    /// True if all of its coarse nodes are alike where the fine ones are: a periodic side of an even number of nodes that is not halved to
    /// one, or a side that is kept.
    pub fn is_like_all(self) -> bool {
        self.is_kept() || (self.wraps && self.fine > 2)
    }

    /// A side of one node stays as it is.
    pub fn is_kept(self) -> bool {
        self.fine == 1
    }
}

/// Coarse nodes of a side: every second node of the finer one, the first among them. Where an open side has an even
/// number of nodes, one more lies a step beyond the grid, so that interpolation goes on as it is; two nodes become one.
fn coarse_nodes(nodes: u32, periodic: bool) -> u32 {
    match nodes {
        1 | 2 => 1,
        _ if periodic => nodes.div_ceil(2),
        _ => nodes / 2 + 1,
    }
}

/// Both sides of two levels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transfer {
    pub sides: [Side; 2],
    pub fine: Packed2x2,
    pub coarse: Packed2x2,
}

impl Transfer {
    /// From a matrix's grid to the next coarser one.
    pub fn from(fine: &NinePoint) -> Result<Transfer> {
        let layout = fine.rows();
        let [x, y] = fine.periodic();
        let sides = [Side::new(layout.width(), x), Side::new(layout.height(), y)];
        let coarse = Packed2x2::grid(sides[0].coarse, sides[1].coarse)?;
        Ok(Transfer { sides, fine: layout, coarse })
    }

    pub fn edges(&self) -> Edges {
        if self.sides.iter().any(|side| side.wraps) { Edges::Repeat } else { Edges::Clamp }
    }

    /// P r, 0 where the coarse matrix has no node: one pass of ten fetches, nine for a uniform matrix.
    pub fn restrict(&self, r: &Vector, coarse: &NinePoint) -> Result<Vector> {
        let _scope = r.algebra().gpu().scope("restrict");
        let sums = Vector::uninitialised(r.algebra(), self.coarse)?;
        self.draw(0, &[r], None, Some(coarse), None, &[&sums])?;
        Ok(sums)
    }

    /// P r, and factor · d⁻¹ P r, which is the first sweep from 0: one pass of two targets, or two where the limits have
    /// one target.
    pub fn restrict_and_begin(
        &self,
        r: &Vector,
        coarse: &NinePoint,
        factor: [f32; 4],
    ) -> Result<(Vector, Vector)> {
        let _scope = r.algebra().gpu().scope("restrict");
        let algebra = r.algebra();
        if algebra.gpu().limits().targets < 2 {
            let sums = self.restrict(r, coarse)?;
            let mut begun = algebra.zeros(self.coarse)?;
            let zeros = algebra.zeros(self.coarse)?;
            coarse.sweep(factor, &zeros, &sums, &mut begun)?;
            return Ok((sums, begun));
        }
        let vector = || Vector::uninitialised(algebra, self.coarse);
        let (sums, begun) = (vector()?, vector()?);
        self.draw(1, &[r], None, Some(coarse), Some(factor), &[&sums, &begun])?;
        Ok((sums, begun))
    }

    /// P (b − A x), and with a factor also factor · d⁻¹ of that, the first sweep from 0, in one pass: without a pass for the residual. 25
    /// fetches of uniform matrices without padding, and of others 107 in the place of 86 where the fine level is small, so that they
    /// cost less than a pass. None where that takes two passes: on large levels, at seams, or where the limits have one target.
    pub fn descend(
        &self,
        fine: &NinePoint,
        [x, b]: [&Vector; 2],
        coarse: &NinePoint,
        factor: Option<[f32; 4]>,
    ) -> Result<Option<(Vector, Vector)>> {
        let algebra = x.algebra();
        let targets = 1 + usize::from(factor.is_some());
        let limits = algebra.gpu().limits();
        if (limits.targets as usize) < targets {
            return Ok(None);
        }
        let _scope = algebra.gpu().scope("residual and restrict");
        let vector = || Vector::uninitialised(algebra, self.coarse);
        let (Some(of_fine), Some(of_coarse)) = (fine.whole(), coarse.whole()) else {
            if !self.is_small()
                || fine.uniform_entries().is_some()
                || fine.mask() == 0
                || limits.fetches < FETCHES
            {
                return Ok(None);
            }
            let (sums, begun) = (vector()?, vector()?);
            let form = i32::from(factor.is_some());
            self.draw(form, &[x, b], Some(fine), Some(coarse), factor, &[&sums, &begun][..targets])?;
            return Ok(Some((sums, begun)));
        };
        let (sums, begun) = (vector()?, vector()?);
        let [low, middle, high] = of_fine.rows;
        let factor = factor.map(|factor| factor.map(|f| f * of_coarse.inverse));
        let constants = [low, middle, high, factor.unwrap_or_default()];
        let declared = if factor.is_some() { "RANGE vec4 begun;" } else { "" };
        algebra
            .pass_of(DESCEND, &[("BEGIN", i32::from(factor.is_some()))], |kernel| {
                kernel.splice("DECLARE_BEGUN", declared)
            })?
            .streams_by(Edges::Repeat, [x.texture(), b.texture()])
            .constants(&constants[..2 + targets])
            .domains(&self.domains()[..1])
            .onto(&[sums.texture(), begun.texture()][..targets])?;
        Ok(Some((sums, begun)))
    }

    /// The fine texel below each coarse one, and the coarse one itself.
    fn domains(&self) -> [[f32; 4]; 2] {
        let (across, down) = self.coarse.texels();
        let (across, down) = (across as f32, down as f32);
        [[-0.5, -0.5, 2.0 * across - 0.5, 2.0 * down - 0.5], [0.0, 0.0, across, down]]
    }

    /// The fine node upon which each coarse one lies, 1 where there is none.
    pub fn twins(&self, fine: &Vector) -> Result<Vector> {
        let twins = Vector::uninitialised(fine.algebra(), self.coarse)?;
        self.draw(2, &[fine], None, None, None, &[&twins])?;
        Ok(twins)
    }

    /// True if a pass over the coarse level costs less than its fetches, and no node is beside a seam.
    fn is_small(&self) -> bool {
        let (width, height) = self.fine.texels();
        width * height <= SMALL && !self.sides.iter().any(|side| side.seam)
    }

    /// A pass of the restriction, of a vector, or of what x and b leave of a fine matrix.
    fn draw(
        &self,
        form: i32,
        fine: &[&Vector],
        rest: Option<&NinePoint>,
        of: Option<&NinePoint>,
        factor: Option<[f32; 4]>,
        targets: &[&Vector],
    ) -> Result<()> {
        let begun = if form == 1 { "RANGE vec4 begun;" } else { "" };
        let (width, height) = self.fine.texels();
        let [x, y] = self.sides.map(|side| flag(side.wraps));
        let (inverse, factor) = match of.map(|coarse| (coarse, coarse.whole())) {
            Some((_, Some(whole))) => (None, factor.map(|factor| factor.map(|f| f * whole.inverse))),
            Some((coarse, None)) => (Some(coarse.inverse_diagonal()?), factor),
            None => (None, factor),
        };
        let constants = [[width as f32, height as f32, x, y], factor.unwrap_or_default()];
        let to = [targets[0].texture(), targets[targets.len() - 1].texture()];
        let entries = rest.map(NinePoint::entries).transpose()?;
        let mask = rest.map_or(0, NinePoint::mask);
        let variant = [("FORM", form), ("INVERSE", i32::from(inverse.is_some())), ("ENTRIES", mask)];
        let entries = entries.into_iter().flatten().flatten();
        fine[0]
            .algebra()
            .pass_of(RESTRICT, &variant, |kernel| kernel.splice("DECLARE_BEGUN", begun))?
            .streams_by(self.edges(), fine.iter().copied().chain(entries).chain(inverse).map(Vector::texture))
            .constants(&constants[..1 + usize::from(factor.is_some())])
            .domains(&self.domains())
            .onto(&to[..targets.len()])
    }

    /// x + S e and a sweep on it in one pass, or false where that takes two: where the fine matrix is uniform or something leads to nodes
    /// that take no part, at seams, and around an end that an odd number of coarse nodes has.
    pub fn prolong_and_sweep(
        &self,
        [x, b]: [&Vector; 2],
        fine: &NinePoint,
        e: &Vector,
        factor: [f32; 4],
        out: &mut Vector,
    ) -> Result<bool> {
        let odd = |side: &Side| side.seam || (side.wraps && side.coarse % 2 == 1);
        if !fine.is_closed() || self.sides.iter().any(odd) {
            return Ok(false);
        }
        let _scope = e.algebra().gpu().scope("prolong and smooth");
        fine.sweep_corrected(factor, [x, b, e], out)?;
        Ok(true)
    }

    /// x + S e, or S e alone without x, 0 where the fine matrix has no node: one pass of six fetches, one less without x, and for a uniform
    /// matrix.
    pub fn prolong(&self, x: Option<&Vector>, fine: &NinePoint, e: &Vector) -> Result<Vector> {
        let _scope = e.algebra().gpu().scope("prolong");
        let algebra = e.algebra();
        let out = Vector::uninitialised(algebra, self.fine)?;
        let [across, down] = self.sides.map(|side| if side.wraps { side.coarse as f32 } else { BEYOND });
        let inverse = if fine.whole().is_some() { None } else { Some(fine.inverse_diagonal()?) };
        algebra
            .pass(PROLONG, &[("FORM", i32::from(x.is_some())), ("INVERSE", i32::from(inverse.is_some()))])?
            .streams(x.into_iter().chain(inverse).chain([e]).map(Vector::texture))
            .constants(&[[across, down, 0.0, 0.0]])
            .onto(&[out.texture()])?;
        Ok(out)
    }
}

/// Texels of a level that is small: 129 × 129 nodes.
const SMALL: u32 = 65 * 65;

/// Fetches of the residual of nine points and its restriction in one pass.
const FETCHES: u32 = 107;

/// More nodes than any side has.
const BEYOND: f32 = 1e6;

/// 1 where it is, 0 where not.
pub(super) fn flag(is: bool) -> f32 {
    f32::from(u8::from(is))
}
