//! Subdivision by occlusion queries: an isoline is found in every texel that it crosses, by few fragments.

use quadrille::pug::{Subdivision, subdivide};
use quadrille::{Gpu, Program, Rect, Result, kernels};

use crate::support::{Random, SIZES, on_gpu};

/// Two hills on a slope, with a little roughness.
fn hills(width: u32, height: u32) -> Vec<f32> {
    let mut random = Random(9);
    let side = f64::from(width.max(height));
    let value = |x: u32, y: u32, rough: f32| {
        let (x, y) = (f64::from(x) / side, f64::from(y) / side);
        let hill = |a: f64, b: f64, w: f64| (-((x - a).powi(2) + (y - b).powi(2)) / w).exp();
        (hill(0.3, 0.4, 0.02) + 0.7 * hill(0.7, 0.6, 0.04) + 0.2 * x) as f32 + 0.002 * rough
    };
    let texels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    texels.map(|(x, y)| value(x, y, random.unit())).collect()
}

const LEVEL: f32 = 0.45;

/// A field with the kernels that ask about it.
struct Field {
    /// Asks about a texel, and about a cell.
    exact: Program,
    bound: Program,
    /// The most that two neighbours differ by, rounded up.
    slope: f64,
    whole: Rect,
    nowhere: quadrille::Buffer,
}

impl Field {
    fn new(gpu: &Gpu, width: u32, height: u32, values: &[f32]) -> Result<Field> {
        let field = gpu.buffer(width, height).init(values)?;
        let load = |exact: u32| -> Result<Program> {
            let mut program = gpu
                .load(kernels::named("flow/isoline_ask.frag")?.define("EXACT", exact).define("MASKED", 0))?;
            program.bind_stream("field", &field)?.bind_float("level", LEVEL)?;
            Ok(program)
        };
        let mut slope = 0.0f64;
        for (i, j) in neighbours(width, height) {
            slope = slope.max((f64::from(values[i]) - f64::from(values[j])).abs());
        }
        Ok(Field {
            exact: load(1)?,
            bound: load(0)?,
            slope: slope * 1.000_001, // f32 rounds what it is compared with
            whole: field.rect(),
            nowhere: gpu.buffer(1, 1).build()?,
        })
    }

    /// One fragment, that looks at the middle of the cell.
    fn ask(&mut self, cell: Rect) -> Result<()> {
        let (x, y) = ((cell.x0 + cell.x1) / 2, (cell.y0 + cell.y1) / 2);
        let middle = Rect::new(x, y, x + 1, y + 1);
        if cell.area() == 1 {
            return self.exact.bind_domain("at", cell)?.run(&self.nowhere);
        }
        // Steps to the farthest texel, and on to its neighbour on the right or above.
        let steps = (x - cell.x0).max(cell.x1 - x) + (y - cell.y0).max(cell.y1 - y);
        let reach = (self.slope * f64::from(steps)) as f32;
        self.bound.bind_domain("at", middle)?.bind_float("reach", reach)?.run(&self.nowhere)
    }
}

/// Each texel's index with that of its neighbour to the right, and above.
fn neighbours(width: u32, height: u32) -> Vec<(usize, usize)> {
    let (w, h) = (width as usize, height as usize);
    let right = (0..w * h).filter(move |i| i % w + 1 < w).map(|i| (i, i + 1));
    let above = (0..w * h).filter(move |i| i / w + 1 < h).map(move |i| (i, i + w));
    right.chain(above).collect()
}

/// Every texel that the isoline crosses, by looking at all of them in f64.
fn exhaustive(values: &[f32], width: u32, height: u32) -> Vec<usize> {
    let above = |i: usize| f64::from(values[i]) >= f64::from(LEVEL);
    let pairs = neighbours(width, height).into_iter();
    let mut crossed: Vec<usize> = pairs.filter(|&(i, j)| above(i) != above(j)).map(|(i, _)| i).collect();
    crossed.sort_unstable();
    crossed.dedup();
    crossed
}

fn index(cell: &Rect, width: u32) -> usize {
    cell.y0 as usize * width as usize + cell.x0 as usize
}

#[test]
fn an_isoline_is_refined_down_to_the_texels_that_it_crosses() -> Result<()> {
    on_gpu(|gpu| {
        for &(width, height) in SIZES.iter().chain(&[(64, 64)]) {
            let values = hills(width, height);
            let mut field = Field::new(gpu, width, height, &values)?;
            let whole = field.whole;
            let cells = subdivide(gpu, whole, 1, |cell| field.ask(cell))?;
            let mut found: Vec<usize> = cells.iter().map(|cell| index(cell, width)).collect();
            found.sort_unstable();
            assert!(cells.iter().all(|cell| cell.area() == 1));
            assert_eq!(found, exhaustive(&values, width, height), "{width}x{height}");
        }
        Ok(())
    })
}

#[test]
fn refinement_draws_a_part_of_the_full_grid() -> Result<()> {
    on_gpu(|gpu| {
        let mut field = Field::new(gpu, 256, 128, &hills(256, 128))?;
        let before = gpu.counters().passes;
        let cells = subdivide(gpu, field.whole, 1, |cell| field.ask(cell))?;
        let drawn = gpu.counters().passes - before; // of one fragment each
        println!("{} cells crossed, {drawn} fragments drawn of {}", cells.len(), 256 * 128);
        assert!(cells.len() > 100 && drawn < 256 * 128 / 4, "{drawn} for {} cells", cells.len());
        Ok(())
    })
}

#[test]
fn coarse_cells_hold_every_fine_one() -> Result<()> {
    on_gpu(|gpu| {
        let values = hills(61, 47);
        let mut field = Field::new(gpu, 61, 47, &values)?;
        let coarse = subdivide(gpu, field.whole, 8, |cell| field.ask(cell))?;
        assert!(coarse.iter().all(|cell| cell.width().max(cell.height()) <= 8));
        for i in exhaustive(&values, 61, 47) {
            let (x, y) = (i as u32 % 61, i as u32 / 61);
            let holds = |c: &&Rect| (c.x0..c.x1).contains(&x) && (c.y0..c.y1).contains(&y);
            assert_eq!(coarse.iter().filter(holds).count(), 1, "texel {x}, {y}");
        }
        Ok(())
    })
}

#[test]
fn all_of_a_range_is_cut_into_cells_that_cover_it_once() -> Result<()> {
    on_gpu(|gpu| {
        let one = gpu.program("one.frag", "RANGE float r; void main() { r = 1.0; }")?;
        let nowhere = gpu.buffer(1, 1).build()?;
        for (whole, smallest) in [
            (Rect::new(3, 5, 20, 12), 3),
            (Rect::whole(1, 31), 0),
            (Rect::whole(9, 2), 2),
            (Rect::whole(5, 5), 100),
        ] {
            let cells = subdivide(gpu, whole, smallest, |_| one.run(&nowhere))?;
            let mut covered = vec![0; whole.area()];
            for cell in &cells {
                assert!(cell.width().max(cell.height()) <= smallest.max(1));
                for (x, y) in (cell.y0..cell.y1).flat_map(|y| (cell.x0..cell.x1).map(move |x| (x, y))) {
                    covered[((y - whole.y0) * whole.width() + x - whole.x0) as usize] += 1;
                }
            }
            assert!(covered.iter().all(|&times| times == 1), "{whole} by {smallest}: {covered:?}");
        }
        assert_eq!(subdivide(gpu, Rect::whole(0, 3), 1, |_| one.run(&nowhere))?, []);
        Ok(())
    })
}

#[test]
fn a_level_whose_questions_fail_is_asked_about_again() -> Result<()> {
    on_gpu(|gpu| {
        let mut field = Field::new(gpu, 31, 57, &hills(31, 57))?;
        let cells = subdivide(gpu, field.whole, 1, |cell| field.ask(cell))?;
        let unbound =
            gpu.load(kernels::named("flow/isoline_ask.frag")?.define("EXACT", 1).define("MASKED", 0))?;
        let live = gpu.counters().live;
        let mut subdivision = Subdivision::new(gpu, field.whole, 1);
        for call in 0.. {
            gpu.finish();
            let mut asked = 0;
            let fails = |cell| {
                asked += 1;
                if call % 2 == 0 && asked > 2 { unbound.run(&field.nowhere) } else { field.ask(cell) }
            };
            match subdivision.advance(fails) {
                Ok(true) => break,
                Ok(false) => {}
                Err(error) => assert!(call % 2 == 0 && error.to_string().contains("field"), "{error}"),
            }
            assert!(call < 100, "two calls a level");
        }
        assert_eq!(subdivision.found(), cells);
        drop(subdivision);
        assert_eq!(gpu.counters().live, live, "no question is left open");
        Ok(())
    })
}

#[test]
fn level_by_level_without_waiting_finds_the_same() -> Result<()> {
    on_gpu(|gpu| {
        let mut field = Field::new(gpu, 31, 57, &hills(31, 57))?;
        let cells = subdivide(gpu, field.whole, 1, |cell| field.ask(cell))?;
        let mut subdivision = Subdivision::new(gpu, field.whole, 1);
        let mut frames = 0;
        while !subdivision.advance(|cell| field.ask(cell))? {
            gpu.finish(); // a frame passes
            frames += 1;
            assert!(frames < 100, "a level a frame");
        }
        assert_eq!(subdivision.found(), cells);
        assert!(subdivision.asked() >= cells.len() as u64);
        Ok(())
    })
}

/// A step of the field between columns 3 and 4, and one between rows 2 and 3; obstacles hide some of it. A fragment passes where neither of
/// the two texels is one.
#[test]
fn an_isoline_is_not_looked_for_in_what_is_not_open() -> Result<()> {
    on_gpu(|gpu| {
        let (width, height) = (7, 5);
        let places = || (0..width * height).map(|i| (i % width, i / width));
        let field: Vec<f32> = places().map(|(x, y)| f32::from(u8::from((x > 3) != (y > 2)))).collect();
        // Two texels in column 4, one in column 3, and one below the other step.
        let shut = [(4, 0), (4, 3), (3, 1), (1, 2)];
        // Above a half, and below it.
        let part = |at| if shut.contains(&at) { 0.4 } else { 0.6 };
        let open: Vec<f32> = places().flat_map(|at| [part(at), 0.0]).collect();
        let mut program =
            gpu.load(kernels::named("flow/isoline_ask.frag")?.define("EXACT", 1).define("MASKED", 1))?;
        program
            .bind_stream("field", &gpu.buffer(width, height).init(&field)?)?
            .bind_stream("open", &gpu.buffer(width, height).components(2).init(&open)?)?
            .bind_float("level", LEVEL)?;
        let nowhere = gpu.buffer(width, height).init(&[0.0; 35])?;
        program.run(&nowhere)?;
        let is_open = |at: (u32, u32)| !shut.contains(&at);
        let number = |(x, y): (u32, u32)| field[(y.min(height - 1) * width + x.min(width - 1)) as usize];
        for (at, found) in places().zip(nowhere.data()?) {
            let crosses = |next: (u32, u32)| is_open(next) && number(at) != number(next);
            let expected = is_open(at) && (crosses((at.0 + 1, at.1)) || crosses((at.0, at.1 + 1)));
            assert_eq!(found == 1.0, expected, "{at:?}");
        }
        Ok(())
    })
}
