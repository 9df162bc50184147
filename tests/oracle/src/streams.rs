//! Histogram, prefix sums, sorting, pyramids and derivatives as plain loops.

use std::cmp::Ordering;

use quadrille::layout::Edges;

/// How many values lie in each of `bins` equal parts of `low` to `high`, the last part with its end; then how many lie below,
/// how many above, and how many are NaN.
///
/// The part of a value is ⌊(v − low)·(bins / (high − low))⌋ in 32-bit arithmetic, as on the GPU.
pub fn histogram(values: &[f32], bins: usize, low: f32, high: f32) -> Vec<u64> {
    let mut counts = vec![0; bins + 3];
    let scale = bins as f32 / (high - low);
    for &v in values {
        let bin = match () {
            () if v < low => bins,
            () if v > high => bins + 1,
            () if v.is_nan() => bins + 2,
            () => (((v - low) * scale) as usize).min(bins - 1),
        };
        counts[bin] += 1;
    }
    counts
}

/// Each value v of `low` to `high` moved by `rate` towards the part of all such values that are smaller, as counted in bins in which they are
/// spread evenly; others stay.
pub fn equalised(values: &[f32], bins: usize, low: f32, high: f32, rate: f32) -> Vec<f64> {
    let counts = histogram(values, bins, low, high);
    let mut below = vec![0];
    below.extend(counts[..bins].iter().scan(0, |sum, count| {
        *sum += count;
        Some(*sum)
    }));
    let (low, high, rate) = (f64::from(low), f64::from(high), f64::from(rate));
    let next = |&v: &f32| {
        let v = f64::from(v);
        if !(low..=high).contains(&v) {
            return v;
        }
        let place = (v - low) * bins as f64 / (high - low);
        let bin = (place as usize).min(bins - 1);
        let part = below[bin] as f64 + (place - bin as f64) * counts[bin] as f64;
        v + rate * (low + (high - low) * part / below[bins] as f64 - v)
    };
    values.iter().map(next).collect()
}

/// x_0 + ... + x_i for each i.
pub fn inclusive_sums(values: &[f64]) -> Vec<f64> {
    let running = values.iter().scan(0.0, |sum, x| {
        *sum += x;
        Some(*sum)
    });
    running.collect()
}

/// x_0 + ... + x_{i−1} for each i.
pub fn exclusive_sums(values: &[f64]) -> Vec<f64> {
    let all = [0.0].into_iter().chain(inclusive_sums(values));
    all.take(values.len()).collect()
}

/// Returns true if `a` comes after `b`: numbers by size, NaN after all of them, equal numbers never.
pub fn comes_later(a: f32, b: f32) -> bool {
    a > b || (a.is_nan() && !b.is_nan())
}

/// The order of [`comes_later`], for sorting: 0 and −0 are equal.
pub fn order(a: &f32, b: &f32) -> Ordering {
    comes_later(*a, *b).cmp(&comes_later(*b, *a))
}

/// The bitonic network for a power of two of items: in each exchange item i meets item i ^ mask. These are the masks.
///
/// # References
/// Batcher, *Sorting Networks and Their Applications*, 1968.
pub fn bitonic(len: usize) -> Vec<usize> {
    let mut masks = Vec::new();
    let mut block = 2;
    while block <= len {
        masks.push(block - 1);
        let mut distance = block / 4;
        while distance > 0 {
            masks.push(distance);
            distance /= 2;
        }
        block *= 2;
    }
    masks
}

/// One exchange: of two partners the earlier goes to the lower place. Items past the end count as the last of all, so whoever
/// meets one stays.
pub fn exchange(keys: &mut [f32], mask: usize) {
    for i in 0..keys.len() {
        let j = i ^ mask;
        if i < j && j < keys.len() && comes_later(keys[i], keys[j]) {
            keys.swap(i, j);
        }
    }
}

/// A picture of one component, row after row.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// Pixels a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// The pixels.
    pub pixels: Vec<f64>,
}

impl Image {
    /// The picture whose pixel (x, y) is `pixel(x, y)`.
    pub fn new(width: usize, height: usize, pixel: impl Fn(usize, usize) -> f64) -> Image {
        let pixels = (0..width * height).map(|i| pixel(i % width, i / width)).collect();
        Image { width, height, pixels }
    }

    /// Half the size, an odd pixel dropped; each pixel the mean of the part of the picture that it covers.
    pub fn halved(&self) -> Image {
        let (across, down) = (shares(self.width), shares(self.height));
        Image::new(across.len(), down.len(), |x, y| {
            let row =
                |j: usize| across[x].iter().map(|(i, w)| w * self.pixels[j * self.width + i]).sum::<f64>();
            down[y].iter().map(|(j, w)| w * row(*j)).sum()
        })
    }

    /// Stretched to that size, linear between the centres of pixels.
    pub fn stretched(&self, width: usize, height: usize) -> Image {
        let between = |place: usize, to: usize, n: usize| {
            let at = (place as f64 + 0.5) * n as f64 / to as f64 - 0.5;
            let part = at - at.floor();
            let near = |i: f64| (i.max(0.0) as usize).min(n - 1);
            [(near(at.floor()), 1.0 - part), (near(at.floor() + 1.0), part)]
        };
        Image::new(width, height, |x, y| {
            let (across, down) = (between(x, width, self.width), between(y, height, self.height));
            let row = |j: usize| across.iter().map(|(i, w)| w * self.pixels[j * self.width + i]).sum::<f64>();
            down.iter().map(|(j, w)| w * row(*j)).sum()
        })
    }

    /// ((E − W)/2h, (S − N)/2h, (E + W + N + S − 4C)/h²) of each pixel.
    pub fn derivatives(&self, h: f64, edges: Edges) -> Vec<[f64; 3]> {
        let beyond = |i: isize, n: usize| match edges {
            Edges::Repeat => i.rem_euclid(n as isize) as usize,
            Edges::Clamp | Edges::Mirror => i.clamp(0, n as isize - 1) as usize,
        };
        let at =
            |x: isize, y: isize| self.pixels[beyond(y, self.height) * self.width + beyond(x, self.width)];
        let places = (0..self.pixels.len()).map(|i| ((i % self.width) as isize, (i / self.width) as isize));
        let each = places.map(|(x, y)| {
            let (east, west, south, north) = (at(x + 1, y), at(x - 1, y), at(x, y + 1), at(x, y - 1));
            let laplacian = (east + west + north + south - 4.0 * at(x, y)) / (h * h);
            [(east - west) / (2.0 * h), (south - north) / (2.0 * h), laplacian]
        });
        each.collect()
    }
}

/// For each pixel of a side half as long, the pixels that it covers and the part of each in its mean.
///
/// Pixel i of n covers side/n pixels from i·side/n on: two whole ones, or of an odd side parts of three.
fn shares(side: usize) -> Vec<Vec<(usize, f64)>> {
    let n = (side / 2).max(1);
    let length = side as f64 / n as f64;
    let covered = |i: usize| {
        let (from, to) = (i as f64 * length, (i + 1) as f64 * length);
        let pixels = (from.floor() as usize..side).take(3);
        let parts = pixels.map(|p| (p, ((to.min(p as f64 + 1.0) - from.max(p as f64)) / length).max(0.0)));
        parts.collect()
    };
    (0..n).map(covered).collect()
}
