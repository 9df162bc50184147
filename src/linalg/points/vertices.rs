//! The vertices of a matrix of points: which entries share one, and which are drawn together.

use crate::Result;
use crate::gl::{Limits, VertexBuffer};
use crate::layout::Packed2x2;
use crate::linalg::Algebra;
use crate::numeric::Csr;

/// Which entries share a vertex, and how the points of one texel meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Four entries of a row; blending adds points.
    Rows,
    /// Four entries of the rows of one texel; points of one texel are drawn apart.
    Rounds,
}

impl Order {
    /// The order that these limits allow: rows need blending, and vertices that fetch x and the entries.
    pub fn of(limits: &Limits) -> Order {
        if limits.float_blend && limits.vertex_streams >= 2 { Order::Rows } else { Order::Rounds }
    }
}

/// Vertices that one pass draws.
pub(super) struct Batch {
    pub vertices: VertexBuffer,
    /// Rounds below each other in the target; 1 where points are blended.
    pub rounds: u32,
}

/// Bytes of the texture that holds the rounds of a batch, unless a single round has more.
const MOST: u64 = 64 << 20;

/// An entry of a vertex: its row's channel, its row and column, and its value.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub channel: u32,
    pub row: usize,
    pub column: usize,
    pub value: f64,
}

/// A vertex: the texel of its rows, its round, and up to four entries.
pub(super) struct Vertex<'a> {
    pub texel: (u32, u32),
    pub round: usize,
    pub entries: &'a [Entry],
}

/// All vertices, always in the same order.
pub(super) fn each_vertex(order: Order, rows: Packed2x2, matrix: &Csr, mut visit: impl FnMut(Vertex)) {
    let entries_of = |row: usize| {
        let (column, line) = rows.place(row);
        let channel = 2 * (line % 2) + column % 2;
        matrix.row(row).map(move |(column, value)| Entry { channel, row, column, value })
    };
    let mut entries: Vec<Entry> = Vec::new();
    let mut put = |texel: (u32, u32), entries: &[Entry]| {
        let fours = entries.chunks(4).enumerate();
        fours.for_each(|(round, entries)| visit(Vertex { texel, round, entries }));
    };
    match order {
        Order::Rows => {
            for row in 0..matrix.rows() {
                let (column, line) = rows.place(row);
                entries.clear();
                entries.extend(entries_of(row));
                put((column / 2, line / 2), &entries);
            }
        }
        Order::Rounds => {
            let (width, height) = rows.texels();
            for texel in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
                entries.clear();
                for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                    let (column, line) = (2 * texel.0 + dx, 2 * texel.1 + dy);
                    let row = line as usize * rows.width() as usize + column as usize;
                    if column < rows.width() && row < rows.len() {
                        entries.extend(entries_of(row));
                    }
                }
                put(texel, &entries);
            }
        }
    }
}

/// Rounds that go into one texture of results of that layout: each is a texture's rows, and a fetch of what adds them up.
pub(super) fn rounds_a_batch(limits: &Limits, rows: Packed2x2) -> usize {
    let (width, height) = rows.texels();
    let bytes = 16 * u64::from(width) * u64::from(height);
    let fits = (limits.texture_size / height).min(limits.fetches.saturating_sub(1));
    u64::from(fits).min(MOST / bytes).max(1) as usize
}

const ATTRIBUTES: [(&str, usize); 4] =
    [("place", 3), ("entries", 4), ("first_places", 4), ("last_places", 4)];

/// The matrix in vertices, from vectors of the layout `columns` to vectors of the layout `rows`; no batch for a matrix
/// without entries.
pub(super) fn batches(
    algebra: &Algebra,
    order: Order,
    rows: Packed2x2,
    columns: Packed2x2,
    matrix: &Csr,
) -> Result<Vec<Batch>> {
    let most = match order {
        Order::Rows => usize::MAX,
        Order::Rounds => rounds_a_batch(algebra.gpu().limits(), rows),
    };
    let height = rows.texels().1;
    let mut all: Vec<(Vec<f32>, u32)> = Vec::new();
    each_vertex(order, rows, matrix, |vertex| {
        let (batch, round) = (vertex.round / most, (vertex.round % most) as u32);
        if batch == all.len() {
            all.push((Vec::new(), 1));
        }
        let (values, rounds) = &mut all[batch];
        // The channels of the four entries, in two bits each; blended points have one for all.
        let mut channels = vertex.entries[0].channel;
        let mut line = vertex.texel.1;
        if order == Order::Rounds {
            channels = vertex.entries.iter().rev().fold(0, |code, entry| 4 * code + entry.channel);
            line += round * height;
            *rounds = (*rounds).max(round + 1);
        }
        let mut factors = [0.0; 4];
        let mut places = [0.0; 8];
        for (i, entry) in vertex.entries.iter().enumerate() {
            let (x, y) = columns.place(entry.column);
            factors[i] = entry.value as f32;
            places[2 * i..2 * i + 2].copy_from_slice(&[x as f32, y as f32]);
        }
        values.extend([vertex.texel.0 as f32, line as f32, channels as f32]);
        values.extend(factors);
        values.extend(places);
    });
    let made = |(values, rounds): (Vec<f32>, u32)| {
        Ok(Batch { vertices: algebra.gpu().vertices(&ATTRIBUTES, &values)?, rounds })
    };
    all.into_iter().map(made).collect()
}

/// The batch of a vertex.
pub(super) fn batch_of(order: Order, limits: &Limits, rows: Packed2x2, round: usize) -> usize {
    match order {
        Order::Rows => 0,
        Order::Rounds => round / rounds_a_batch(limits, rows),
    }
}
