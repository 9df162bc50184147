//! Coarse matrices: A_2h = P A S, composed on the GPU along one axis and then along the other.

use super::transfer::{Side, Transfer, flag};
use super::{Coarsest, INVERTED, Level, Missing};
use crate::Result;
use crate::linalg::{LinearOperator, NinePoint, Packed2x2, Vector, entry_of, offset};

const COMPOSE: &str = "solve/multigrid_compose.frag";

/// A level of sides no longer than this is solved by sweeps.
const SWEPT_SIDE: u32 = 3;

/// The entries of a matrix; those that are 0 everywhere are left out.
type Entries = [Option<Vector>; 9];

/// The levels of a matrix, the finest first.
pub(super) fn levels(a: &NinePoint, missing: Missing, coarsest: Coarsest) -> Result<Vec<Level>> {
    let mut levels: Vec<Level> = Vec::new();
    let mut matrix = a.clone();
    loop {
        let layout = matrix.rows();
        let last = match coarsest {
            Coarsest::Direct { nodes } => layout.len() <= nodes,
            Coarsest::Sweeps => layout.width().max(layout.height()) <= SWEPT_SIDE,
            Coarsest::Smoothed { levels: most } => levels.len() + 1 == most || layout.len() <= INVERTED,
        };
        if last {
            levels.push(Level { matrix, coarser: None });
            return Ok(levels);
        }
        let transfer = Transfer::from(&matrix)?;
        if let Some(entries) =
            matrix.uniform_entries().filter(|_| transfer.sides.iter().all(|s| s.is_like_all()))
        {
            let next = NinePoint::uniform(a.algebra(), transfer.coarse, uniform(entries, transfer))?;
            levels.push(Level { matrix, coarser: Some(transfer) });
            matrix = next;
            continue;
        }
        // Coarse matrices are made so that nothing leads to a node that takes no part.
        let known =
            if levels.is_empty() { Some(matrix.entries_between(matrix.inverse_diagonal()?)?) } else { None };
        let entries = match &known {
            Some(known) => known,
            None => matrix.entries()?,
        };
        let next = coarser(&matrix, entries, transfer, missing)?;
        levels.push(Level { matrix, coarser: Some(transfer) });
        matrix = next;
    }
}

/// P A S for entries that are the same at all nodes, in f64: coarse^d = ¼ Σ over g and e of S(e) S(e + g − 2d) fine^g.
fn uniform(fine: [f32; 9], transfer: Transfer) -> [f32; 9] {
    let hat = |distance: i64| (1.0 - 0.5 * distance.abs() as f64).max(0.0);
    let along = |side: Side, g: i64, d: i64| match side.is_kept() {
        true => f64::from(u8::from(g == d)),
        false => (-1..=1).map(|e| hat(e) * hat(e + g - 2 * d)).sum(),
    };
    let [x, y] = transfer.sides;
    let mut coarse = [0.0; 9];
    for (to, coarse) in coarse.iter_mut().enumerate() {
        let d = offset(to);
        let part = |(from, value): (usize, f32)| {
            let g = offset(from);
            0.25 * along(x, g.0, d.0) * along(y, g.1, d.1) * f64::from(value)
        };
        *coarse = fine.into_iter().enumerate().map(part).sum::<f64>() as f32;
    }
    coarse
}

/// P A S for these entries of a matrix: at most nine passes for each axis, of nine fetches at most, and for fixed nodes
/// nine more.
fn coarser(fine: &NinePoint, entries: &Entries, transfer: Transfer, missing: Missing) -> Result<NinePoint> {
    let Transfer { sides: [x, y], fine: from, coarse: to } = transfer;
    let between = Packed2x2::grid(to.width(), from.height())?;
    let scale = if x.is_kept() || y.is_kept() { 0.25 } else { 0.5 };
    let along_x = Along { axis: 0, side: x, scale, from, to: between };
    let along_y = Along { axis: 1, side: y, scale, from: between, to };
    let composed_x = if x.is_kept() { None } else { Some(along_x.compose(transfer, entries)?) };
    let half = composed_x.as_ref().unwrap_or(entries);
    let composed_y = if y.is_kept() { None } else { Some(along_y.compose(transfer, half)?) };
    let Some(composed) = composed_y.or(composed_x) else { return Ok(fine.clone()) };
    let [across, down] = fine.periodic();
    let periodic = [across && x.coarse > 1, down && y.coarse > 1];
    let coarse = NinePoint::of(fine.algebra(), to, periodic, composed)?;
    match missing {
        Missing::Absent => Ok(coarse.closed()),
        Missing::Fixed => {
            let marks = transfer.twins(fine.inverse_diagonal()?)?;
            let between = coarse.entries_between(&marks)?;
            Ok(NinePoint::of(fine.algebra(), to, periodic, between)?.closed())
        }
    }
}

/// Composition along one axis.
struct Along {
    axis: usize,
    side: Side,
    scale: f32,
    from: Packed2x2,
    to: Packed2x2,
}

impl Along {
    fn compose(&self, transfer: Transfer, fine: &Entries) -> Result<Entries> {
        let mut coarse = [const { None }; 9];
        for across in -1..=1 {
            let place = |along: i64| entry_of(if self.axis == 0 { (along, across) } else { (across, along) });
            let of = [-1, 0, 1].map(|g| fine[place(g)].as_ref());
            // The one node that two nodes become is its own neighbour.
            let ways = if self.side.coarse == 1 { 0..=0 } else { -1..=1 };
            for d in ways {
                coarse[place(d)] = self.entry(transfer, of, d)?;
            }
        }
        Ok(coarse)
    }

    /// The coarse entry that leads d nodes along the axis, out of those that lead −1, 0 and 1 fine ones.
    fn entry(&self, transfer: Transfer, of: [Option<&Vector>; 3], d: i64) -> Result<Option<Vector>> {
        let weights = [-1, 0, 1].map(|g| self.weights(g, d));
        let there = |g: &usize| of[*g].is_some() && weights[*g] != [0.0; 4];
        let used = || [0, 1, 2].into_iter().filter(there);
        let vectors = || used().filter_map(|g| of[g]);
        let Some(first) = vectors().next() else { return Ok(None) };
        let algebra = first.algebra();
        let mask = used().fold(0, |mask, g| mask | 1 << g);
        let seam = self.side.seam && mask != 2;
        let variant = [("AXIS", self.axis as i32), ("ENTRIES", mask), ("SEAM", i32::from(seam))];
        let texels = <[u32; 2]>::from(self.from.texels())[self.axis];
        let side = [self.side.coarse as f32, texels as f32, flag(self.side.wraps), 0.0];
        let over = |way: i64| if d == way { self.scale } else { 0.0 };
        let mut constants = [[0.0; 4]; 5];
        let mut count = 0;
        let rest = [Some(side), seam.then(|| [over(-1), over(1), 0.0, 0.0])];
        for value in used().map(|g| weights[g]).chain(rest.into_iter().flatten()) {
            constants[count] = value;
            count += 1;
        }
        let (across, down) = self.to.texels();
        let (across, down) = (across as f32, down as f32);
        let domain = match self.axis {
            0 => [-0.5, 0.0, 2.0 * across - 0.5, down],
            _ => [0.0, -0.5, across, 2.0 * down - 0.5],
        };
        let out = Vector::uninitialised(algebra, self.to)?;
        algebra
            .pass(COMPOSE, &variant)?
            .streams_by(transfer.edges(), vectors().map(Vector::texture))
            .constants(&constants[..count])
            .domains(&[domain])
            .onto(&[out.texture()])?;
        Ok(Some(out))
    }

    /// scale · S(e) S(e + g − 2d) for e = −1, 0, 1; where two nodes become one, all that e + g reaches is that one.
    fn weights(&self, g: i64, d: i64) -> [f32; 4] {
        let hat = |distance: i64| (1.0 - 0.5 * distance.abs() as f32).max(0.0);
        let [low, own, high] = [-1, 0, 1].map(|e| {
            let to = if self.side.coarse == 1 { 1.0 } else { hat(e + g - 2 * d) };
            self.scale * hat(e) * to
        });
        [low, own, high, 0.0]
    }
}
