//! The drawing of a sorting network beside Batcher's own exchanges.

use quadrille::streams::Sort;
use quadrille::view::{ColourMap, Network};
use quadrille::{Gpu, Result};
use quadrille_oracle::streams::{bitonic, exchange};

use crate::support::{Random, on_gpu};

const GROUND: [f32; 3] = [0.05, 0.06, 0.08];
const BAND: [f32; 3] = [0.16, 0.18, 0.24];
const UNKNOWN: [f32; 3] = [0.2, 0.21, 0.23];
const PAST: [f32; 3] = [0.6, 0.62, 0.66];
const NOW: [f32; 3] = [1.0; 3];
const COMING: [f32; 3] = [0.34, 0.36, 0.4];

/// The pairs of lines that each column joins, of a line with itself where partners share it, and the pass of the column.
fn columns(sort: &Sort, total: usize, run: usize) -> Vec<(Vec<[usize; 2]>, usize)> {
    let mut columns = Vec::new();
    for (number, mask) in bitonic(total).into_iter().enumerate() {
        let pass = (1..=sort.passes()).find(|&pass| sort.exchanges(pass) > number).unwrap_or(0);
        let mut pairs: Vec<[usize; 2]> =
            (0..total).filter(|i| *i < i ^ mask).map(|i| [i / run, (i ^ mask) / run]).collect();
        pairs.sort_unstable();
        pairs.dedup();
        // The same line of each block of the exchange.
        let block = (mask + 1).next_power_of_two() / run;
        let firsts = if block < 2 { 1 } else { block / 2 };
        columns.extend((0..firsts).map(|first| {
            let of_it = |pair: &&[usize; 2]| block < 2 || pair[0] % block == first;
            (pairs.iter().filter(of_it).copied().collect(), pass)
        }));
    }
    columns.extend([(); 3].map(|()| (Vec::new(), sort.passes() + 1)));
    columns
}

fn check(gpu: &Gpu, len: usize, width: u32, done: usize) -> Result<()> {
    let mut keys: Vec<f32> = Random(8).floats(len).iter().map(|v| 0.5 + 0.5 * v).collect();
    let numbers = gpu.buffer(width, len as u32 / width).init(&keys)?;
    let mut sort = Sort::keys(gpu, len)?;
    let mut network = Network::new(gpu, &numbers, &sort)?;
    let grey = std::array::from_fn(|i| [i as u8; 3]);
    let map = ColourMap::new(gpu, &grey)?;
    sort.load(&numbers, None)?;
    network.record(&numbers, 0, true)?;
    let done = done.min(sort.passes());
    let total = len.next_power_of_two().max(4);
    let (lines, masks) = (total.min(32), bitonic(total));
    let run = total / lines;
    let sampled = |keys: &[f32]| -> Vec<Option<f32>> {
        (0..lines).map(|line| keys.get(line * run + 2 * run / 3).copied()).collect()
    };
    let mut history = vec![sampled(&keys)];
    for pass in 1..=done {
        sort.pass()?;
        sort.unload(&numbers, None)?;
        network.record(&numbers, pass, false)?;
        masks[sort.exchanges(pass - 1)..sort.exchanges(pass)]
            .iter()
            .for_each(|mask| exchange(&mut keys, *mask));
        history.push(sampled(&keys));
    }
    let wires = columns(&sort, total, run);
    let column = if wires.len() > 80 { 6.0f32 } else { 12.0 };
    let [width, height] = network.size();
    // Three quarters as high as wide at least.
    let apart = (3 * wires.len() * column as usize / (4 * lines)).max(16);
    assert_eq!(
        [width as usize, height as usize],
        [wires.len() * column as usize, lines * apart],
        "{len} items"
    );
    let apart = apart as f32;
    let found = network.picture(&map, [0.0, 1.0], done)?;
    for (i, found) in found.as_chunks::<4>().0.iter().enumerate() {
        let (x, y) = ((i as u32 % width) as f32 + 0.5, (i as u32 / width) as f32 + 0.5);
        let (pairs, pass) = &wires[(x / column) as usize];
        let line = (y / apart) as usize;
        let (off, across) = ((x / column).fract() * column - 0.5 * column, y - apart * (line as f32 + 0.5));
        let mut shown = if *pass == done { BAND } else { GROUND };
        if across.abs() < 0.3 * apart {
            let known = history.get(pass - 1).and_then(|history| history[line]);
            shown = known.map_or(UNKNOWN, |number| [(number * 255.0 + 0.5).floor().min(255.0) / 255.0; 3]);
        }
        let middle = |line: usize| apart * (line as f32 + 0.5);
        let wired = pairs.iter().any(|&[first, last]| {
            let dot = [first, last].iter().any(|&end| off.hypot(y - middle(end)) < 0.27 * column);
            dot || off.abs() < 0.1 * column && y > middle(first) && y < middle(last)
        });
        if wired {
            shown = match *pass {
                pass if pass > done => COMING,
                pass if pass == done => NOW,
                _ => PAST,
            };
        }
        // A colour of the map may be the one beside it.
        let near = |(&found, shown): (&u8, f32)| (f32::from(found) - 255.0 * shown).abs() < 1.6;
        assert!(
            found.iter().zip(shown).all(near),
            "({x}, {y}) of {len} items after {done}: {found:?}, {shown:?}"
        );
    }
    Ok(())
}

#[test]
fn wires_join_the_partners_of_each_exchange_and_lines_have_the_colours_of_their_numbers() -> Result<()> {
    on_gpu(|gpu| {
        for (len, width, done) in
            [(1, 1, 0), (5, 5, 1), (8, 4, 3), (32, 8, 5), (21, 7, 9), (300, 10, 12), (300, 10, 0)]
        {
            check(gpu, len, width, done)?;
        }
        Ok(())
    })
}
