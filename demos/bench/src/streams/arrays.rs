//! Histograms, prefix sums and sorting, beside plain loops on the CPU.

use std::time::Instant;

use anyhow::{Result, ensure};
use quadrille::streams::{Bins, By, Histogram, PrefixSum, Sort};
use quadrille::{Buffer, Gpu};
use quadrille_oracle::streams::{histogram, inclusive_sums};

use super::super::dense::on_cpu::OnCpu;
use super::super::interleave::{Bare, Elapsed, Pair, Work};
use super::super::row::Rows;
use super::super::row::{Bench, Row};
use super::super::stepping::{check, first_texel, numbers};
use crate::bare::{BareLoop, BinPoints};

/// Pixels a side, and elements of arrays: as many.
const SIDE: u32 = 1024;
const BINS: Bins = Bins { count: 256, low: 0.0, high: 1.0 };

pub fn rows(divisor: u32) -> Rows {
    let side = SIDE / divisor;
    let n = side as usize * side as usize;
    let size = format!("{} bins of {SIDE}x{SIDE}", BINS.count);
    let counting = |name: &str, by: By| {
        let row = Row::new(name, &size, move |bench: &Bench| count(bench, side, by));
        Row { counted: Some((n as f64 / 1e6, "M pixels")), ..row }
    };
    let array = |name: &str, build: fn(&Bench, usize) -> Result<Pair>| {
        let row = Row::new(name, "2^20 numbers", move |bench: &Bench| build(bench, n));
        Row { counted: Some((n as f64 / 1e6, "M numbers")), ..row }
    };
    vec![
        vec![counting("histogram by points", By::Points), counting("histogram by gather", By::Gather)],
        vec![array("prefix sum", prefix_sum)],
        vec![array("sort", sort_keys), array("sort of pairs", sort_pairs)],
    ]
}

/// A repeated operation, and the buffer of its result.
struct Repeated<F> {
    gpu: Gpu,
    result: Buffer,
    work: F,
}

impl<F: FnMut() -> quadrille::Result<()>> Work for Repeated<F> {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        (0..times).try_for_each(|_| (self.work)())?;
        let submitted = clock.elapsed();
        first_texel(&self.result)?;
        self.gpu.finish();
        Ok(Elapsed { submitted, done: clock.elapsed() })
    }
}

fn count(bench: &Bench, side: u32, by: By) -> Result<Pair> {
    let pixels: Vec<f32> = numbers((side * side) as usize).iter().map(|v| 0.5 + 0.5 * v).collect();
    let expected = histogram(&pixels, BINS.count as usize, BINS.low, BINS.high);
    let gpu = &bench.gpu;
    let image = gpu.buffer(side, side).init(&pixels)?;
    let mut counting = Histogram::new(gpu, side, side, BINS, by)?;
    counting.count(&image, 0)?;
    ensure!(counting.counts()?.bins == expected[..BINS.count as usize], "{by:?}: the histogram is wrong");
    let result = counting.buffer().clone();
    let library = Repeated { gpu: gpu.clone(), result, work: move || counting.count(&image, 0) };
    let pair = match by {
        By::Gather => Pair::alone(library),
        By::Points => {
            let (lap, counts) = bench.bare(|bare| {
                let mut lap = BinPoints::new(bare, side, side, &pixels, BINS.count)?;
                lap.draw(1);
                let counts = lap.counts();
                quadrille::Result::Ok((lap, counts))
            })?;
            let same = counts.iter().zip(&expected).all(|(&found, &expected)| found as u64 == expected);
            ensure!(same, "the bare histogram is wrong");
            Pair::new(library, Bare { gpu: gpu.clone(), lap })
        }
    };
    let mut bins = vec![0u32; BINS.count as usize];
    let on_cpu = move || {
        bins.fill(0);
        for &pixel in &pixels {
            bins[((pixel * BINS.count as f32) as usize).min(BINS.count as usize - 1)] += 1;
        }
        std::hint::black_box(&bins);
        Ok(())
    };
    Ok(pair.beside("loop", OnCpu(on_cpu)))
}

fn prefix_sum(bench: &Bench, n: usize) -> Result<Pair> {
    let values = numbers(n);
    let gpu = &bench.gpu;
    let (array, sums) = (gpu.array(n).init(&values)?, gpu.array(n).build()?);
    let mut scan = PrefixSum::new(gpu, n)?;
    scan.inclusive(&array, &sums)?;
    let wide: Vec<f64> = values.iter().map(|&v| f64::from(v)).collect();
    // Three roundings a level, of sums of numbers up to 1.
    let levels = f64::from(n.next_power_of_two().ilog2().div_ceil(2));
    let bound = (3.0 * levels + 1.0) * 2f64.powi(-24) * n as f64;
    check("prefix sum", &sums.data()?, inclusive_sums(&wide).into_iter(), bound)?;
    let result = sums.clone();
    let library = Repeated { gpu: gpu.clone(), result, work: move || scan.inclusive(&array, &sums) };
    let mut running = vec![0.0; n];
    let on_cpu = move || {
        let mut sum = 0.0;
        for (running, value) in running.iter_mut().zip(&values) {
            sum += value;
            *running = sum;
        }
        std::hint::black_box(&running);
        Ok(())
    };
    Ok(Pair::alone(library).beside("loop", OnCpu(on_cpu)))
}

/// The same numbers each time: a sort leaves those that it takes as they are if its result goes elsewhere.
fn sort_keys(bench: &Bench, n: usize) -> Result<Pair> {
    let keys = numbers(n);
    let gpu = &bench.gpu;
    let (array, result) = (gpu.array(n).init(&keys)?, gpu.array(n).build()?);
    let mut sort = Sort::keys(gpu, n)?;
    let to = result.clone();
    let mut work = move || {
        sort.load(&array, None)?;
        while sort.pass()? {}
        sort.unload(&to, None)
    };
    work()?;
    ensure!(result.data()?.is_sorted(), "the sorted numbers are in no order");
    let library = Repeated { gpu: gpu.clone(), result, work };
    let mut sorted = keys.clone();
    let on_cpu = move || {
        sorted.copy_from_slice(&keys);
        sorted.sort_unstable_by(f32::total_cmp);
        std::hint::black_box(&sorted);
        Ok(())
    };
    Ok(Pair::alone(library).beside("Rust's unstable sort", OnCpu(on_cpu)))
}

fn sort_pairs(bench: &Bench, n: usize) -> Result<Pair> {
    let keys = numbers(n);
    let places: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let gpu = &bench.gpu;
    let (array, values) = (gpu.array(n).init(&keys)?, gpu.array(n).init(&places)?);
    let (result, carried) = (gpu.array(n).build()?, gpu.array(n).build()?);
    let mut sort = Sort::pairs(gpu, n)?;
    let (to, with) = (result.clone(), carried.clone());
    let mut work = move || {
        sort.load(&array, Some(&values))?;
        while sort.pass()? {}
        sort.unload(&to, Some(&with))
    };
    work()?;
    let sorted = result.data()?;
    let came_from = |(key, place): (&f32, f32)| keys.get(place as usize) == Some(key);
    ensure!(sorted.is_sorted() && sorted.iter().zip(carried.data()?).all(came_from), "pairs are in no order");
    let library = Repeated { gpu: gpu.clone(), result, work };
    let pairs: Vec<(f32, f32)> = keys.iter().copied().zip(places).collect();
    let mut sorted = pairs.clone();
    let on_cpu = move || {
        sorted.copy_from_slice(&pairs);
        sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        std::hint::black_box(&sorted);
        Ok(())
    };
    Ok(Pair::alone(library).beside("Rust's unstable sort", OnCpu(on_cpu)))
}
