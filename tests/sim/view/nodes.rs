//! Rectangles of nodes: colours, lines of level and arrows; curves over a row.

use quadrille::pug::Prelude;
use quadrille::{Result, kernels};

use super::{
    Field, Pixel, Rounding, U, across, check, coloured, domain, lined, mix, mixed, palette, share,
    smoothstep, untouched,
};
use crate::support::on_gpu;

const TARGET: [u32; 2] = [43, 29];

/// A colour is off by the rounding of a share, on the scale of a pixel's part.
const LEAST: f64 = 256.0 * U;

const MARGIN: f64 = 0.06;

/// A curve over rows of moments.
struct Curve {
    rows: Field<1>,
    ends: [f64; 2],
    pixel: [f64; 2],
    row: f64,
    apart: f64,
    earlier: f64,
    tick: f64,
}

impl Curve {
    fn u(&self, rounding: &Rounding, x: f64, row: f64) -> f64 {
        let columns = f64::from(self.rows.size[0]);
        let place = x.clamp(0.5, columns - 0.5) - 0.5;
        let first = place.floor().min(columns - 2.0);
        let [[from], [to]] = [first, first + 1.0].map(|column| self.rows.at([column, row]));
        rounding.of(mix(from, to, place - first), 8.0 * U)
    }

    fn share(&self, u: f64) -> f64 {
        (u - self.ends[0]) / (self.ends[1] - self.ends[0])
    }

    /// The part of a pixel that a curve covers; `None` where it begins or ends in it.
    fn covered(&self, rounding: &Rounding, [x, y]: [f64; 2], row: f64, thick: f64) -> Option<f64> {
        let [dx, dy] = self.pixel;
        let heights = [-0.5, 0.0, 0.5]
            .map(|part| mix(MARGIN, 1.0 - MARGIN, self.share(self.u(rounding, x + part * dx, row))));
        if heights[1].is_nan() {
            return Some(0.0);
        }
        if heights.iter().any(|height| height.is_nan()) {
            return None;
        }
        let low = heights.iter().copied().fold(f64::INFINITY, f64::min) - thick * dy;
        let high = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max) + thick * dy;
        let covered = high.min(y + 0.5 * dy) - low.max(y - 0.5 * dy);
        Some((covered / dy).clamp(0.0, 1.0))
    }

    fn colour(&self, rounding: &Rounding, palette: &Field<3>, place: [f64; 2]) -> Option<[f64; 4]> {
        let place = place.map(|x| rounding.of(x, 16.0 * U));
        let [low, high] = self.ends;
        let to_numbers = (high - low) / (1.0 - 2.0 * MARGIN);
        let here = low + (place[1] - MARGIN) * to_numbers;
        let half_pixel = 0.5 * self.pixel[1] * to_numbers;
        let to_line = (here - self.tick * (here / self.tick).round()).abs();
        let bright = if here.abs() < half_pixel { 0.22 } else { 0.07 };
        let mut rgb =
            [0.075, 0.08, 0.095].map(|dark| if to_line < half_pixel { dark + bright } else { dark });
        let u = self.u(rounding, place[0], self.row);
        let base = 0f64.clamp(low, high);
        // Filled between the curve and 0, or the end next to it.
        if (base < here && here < u) || (u < here && here < base) {
            rgb = mixed(rgb, coloured(palette, self.share(here)), 0.35);
        }
        for n in (1..=6).rev().map(f64::from).filter(|&n| n <= self.earlier) {
            let covered = self.covered(rounding, place, self.row - self.apart * n, 0.5)?;
            rgb = mixed(rgb, [0.62, 0.66, 0.72], (0.62 - 0.09 * n) * covered);
        }
        let covered = self.covered(rounding, place, self.row, 1.1)?;
        if covered > 0.0 {
            rgb = mixed(rgb, mixed(coloured(palette, self.share(u)), [1.0; 3], 0.45), covered);
        }
        Some([rgb[0], rgb[1], rgb[2], 1.0])
    }
}

#[test]
fn a_curve_its_past_and_its_lines_are_those_of_the_formula() -> Result<()> {
    on_gpu(|gpu| {
        let palette = palette();
        let curve = |columns: u32, seed: u64| Curve {
            rows: Field::random([columns, 15], seed, -0.6, 1.5),
            ends: [-0.4, 1.3],
            pixel: [0.25, 1.0 / 29.0],
            row: 14.0,
            apart: 2.0,
            earlier: 3.0,
            tick: 0.25,
        };
        let mut broken = Curve { earlier: 9.0, ..curve(7, 3) };
        broken.rows.texels[14 * 7 + 3] = [f32::NAN];
        let (from, to) = ([0.1, -0.07], [9.4, 1.05]);
        let mut program = gpu.builtin("view/nodes_curve.frag")?;
        program.bind_stream("palette", &palette.buffer(gpu)?)?.bind_domain("coords", domain(from, to))?;
        for (n, curve) in [
            curve(9, 1),
            Curve { ends: [0.2, 1.1], pixel: [0.5, 0.05], row: 7.0, apart: 1.0, earlier: 6.0, ..curve(9, 2) },
            Curve { ends: [-0.9, -0.1], earlier: 0.0, ..curve(2, 5) },
            broken,
        ]
        .iter()
        .enumerate()
        {
            let narrow = |pair: [f64; 2]| pair.map(|x| x as f32);
            program
                .bind_stream("rows", &curve.rows.buffer(gpu)?)?
                .bind_float("low_high", narrow(curve.ends))?
                .bind_float("pixel", narrow(curve.pixel))?
                .bind_float("row", curve.row as f32)?
                .bind_float("apart", curve.apart as f32)?
                .bind_float("earlier", curve.earlier as f32)?
                .bind_float("tick", curve.tick as f32)?;
            let target = untouched(gpu, TARGET)?;
            program.run(&target)?;
            check(&format!("curve {n}"), &target.data()?, (LEAST, 0.1), |rounding, i| {
                let place = across(TARGET, from, to, i);
                curve.colour(rounding, &palette, place).map_or(Pixel::Edge, Pixel::Is)
            });
        }
        Ok(())
    })
}

/// A rectangle of nodes and how it is shown.
struct Shown {
    values: Field<1>,
    inside: Field<1>,
    ends: [f64; 2],
    pixel: [f64; 2],
    levels: Vec<f64>,
    cyclic: bool,
    logarithmic: bool,
    /// Shares that lines divide: only for numbers that are linear in both directions, whose changes are these over a pixel.
    parts: Option<(f64, [f64; 2])>,
    arrows: Option<(Field<1>, Field<1>, f64, f64)>,
}

const MISSING: [f64; 3] = [0.25, 0.5, 0.125];

impl Shown {
    fn u(&self, rounding: &Rounding, place: [f64; 2]) -> f64 {
        let first = place.map(|x| (x - 0.5).floor());
        let part = [place[0] - 0.5 - first[0], place[1] - 0.5 - first[1]];
        let corner = |dx: f64, dy: f64| self.values.at([first[0] + dx, first[1] + dy])[0];
        let four = [corner(0.0, 0.0), corner(1.0, 0.0), corner(0.0, 1.0), corner(1.0, 1.0)];
        let u = mix(mix(four[0], four[1], part[0]), mix(four[2], four[3], part[0]), part[1]);
        let [low, high] = [
            four.iter().copied().fold(f64::INFINITY, f64::min),
            four.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        ];
        let jumps = self.cyclic && high - low > 0.5 * (self.ends[1] - self.ends[0]).abs();
        match u.is_nan() || jumps {
            true => self.values.at(place)[0],
            false => rounding.of(u, 4.0 * U * low.abs().max(high.abs())),
        }
    }

    /// The part of a pixel that a line of two pixels covers.
    fn covered(away: f64) -> f64 {
        (1.6 - away).clamp(0.0, 1.0)
    }

    fn with_levels(&self, rounding: &Rounding, place: [f64; 2], rgb: [f64; 3], u: f64) -> [f64; 3] {
        let [x, y] = place;
        let [dx, dy] = self.pixel;
        let change = |from: [f64; 2], to: [f64; 2]| 0.5 * (self.u(rounding, to) - self.u(rounding, from));
        let slope = change([x - dx, y], [x + dx, y]).hypot(change([x, y - dy], [x, y + dy]));
        let range = (self.ends[1] - self.ends[0]).abs();
        let seen = smoothstep(1e-6 * range, 4e-6 * range, slope);
        let nearest = self.levels.iter().map(|level| (u - level).abs()).fold(f64::INFINITY, f64::min);
        mixed(rgb, [1.0; 3], 0.85 * seen * Self::covered(nearest / slope.max(1e-20)))
    }

    fn with_arrow(&self, place: [f64; 2], rgb: [f64; 3]) -> [f64; 3] {
        let Some((along, up, longest, between)) = &self.arrows else {
            return rgb;
        };
        let middle = place.map(|x| ((x / between).floor() + 0.5) * between);
        if self.inside.at(middle)[0] < 0.5 {
            return rgb;
        }
        let [a, b] = [along.at(middle)[0], up.at(middle)[0]];
        let length = a.hypot(b);
        let (size, pixel) = (0.92 * between * length / longest, self.pixel[0]);
        if size <= 2.5 * pixel {
            return rgb;
        }
        let off = [place[0] - middle[0], place[1] - middle[1]];
        let ahead = (off[0] * a + off[1] * b) / length;
        let aside = (off[1] * a - off[0] * b).abs() / length;
        // A shaft from the tail to the head, and a head of 0.4 of it, as wide as long.
        let (tip, head) = (0.5 * size, 0.4 * size);
        let shaft = aside.max((ahead + 0.5 * head).abs() - (tip - 0.5 * head));
        let barb = (aside - 0.5 * (tip - ahead)).max(tip - head - ahead);
        let cover = Self::covered(shaft / pixel).max((0.5 - barb / pixel).clamp(0.0, 1.0));
        mixed(rgb, [1.0; 3], 0.9 * cover)
    }

    fn colour(&self, rounding: &Rounding, palette: &Field<3>, place: [f64; 2]) -> Option<[f64; 4]> {
        let place = place.map(|x| rounding.of(x, 16.0 * U));
        let u = self.u(rounding, place);
        let number = share(u, self.ends, self.logarithmic);
        let part = if self.logarithmic { rounding.of(number, 32.0 * U) } else { number };
        let mut rgb = if u.is_nan() { MISSING } else { coloured(palette, part) };
        if let Some((parts, [across, up])) = self.parts {
            // Beyond the outer nodes, a quarter of one from a pixel to the next, nothing slopes.
            if [0, 1].iter().any(|&n| place[n] < 0.75 || place[n] > f64::from(NODES[n]) - 0.75) {
                return None;
            }
            let per_number = parts / (self.ends[1] - self.ends[0]);
            let slope = (across * per_number).hypot(up * per_number);
            rgb = lined(rgb, parts * part, rounding.of(slope, 4.0 * U * parts), parts);
        }
        if !self.levels.is_empty() {
            rgb = self.with_levels(rounding, place, rgb, u);
        }
        rgb = self.with_arrow(place, rgb);
        if u.is_nan() {
            rgb = MISSING;
        }
        rgb = mixed(MISSING, rgb, self.part_inside(place));
        Some([rgb[0], rgb[1], rgb[2], 1.0])
    }

    fn has_mask(&self) -> bool {
        self.inside.texels.len() > 1
    }

    /// The part of a pixel inside the mask: of a quadratic spline over nine nodes, where a node is more than a pixel.
    fn part_inside(&self, place: [f64; 2]) -> f64 {
        if !self.has_mask() {
            return 1.0;
        }
        if self.pixel[0] > 0.99 {
            return f64::from(u8::from(self.inside.at(place)[0] >= 0.5));
        }
        let node = place.map(|x| x.floor() + 0.5);
        let weights = [0, 1].map(|n| {
            let off = place[n] - node[n];
            let (low, high) = (0.5 * (0.5 - off) * (0.5 - off), 0.5 * (0.5 + off) * (0.5 + off));
            [low, 1.0 - low - high, high]
        });
        let mut sum = 0.0;
        for (j, up) in weights[1].iter().enumerate() {
            for (i, across) in weights[0].iter().enumerate() {
                let at = [node[0] + i as f64 - 1.0, node[1] + j as f64 - 1.0];
                sum += up * across * self.inside.at(at)[0];
            }
        }
        (0.5 + (sum - 0.5) / (0.75 * self.pixel[0])).clamp(0.0, 1.0)
    }
}

const NODES: [u32; 2] = [11, 7];
const CORNERS: ([f64; 2], [f64; 2]) = ([0.2, 6.9], [10.9, 0.3]);

/// Random numbers; levels in and beyond them; phases that jump; numbers that are none; arrows; a plain that slopes by a
/// millionth of the range a pixel; numbers that are linear.
fn rectangles() -> Vec<Shown> {
    let everywhere = || Field::new([1, 1], |_, _| [1.0]);
    let mask = || Field::new(NODES, |x, y| [if (3 * x + 5 * y) % 7 == 0 { 0.2 } else { 0.8 }]);
    let plain = |seed: u64| Shown {
        values: Field::random(NODES, seed, -1.2, 1.5),
        inside: everywhere(),
        ends: [-1.0, 1.25],
        pixel: [0.11, 0.07],
        levels: Vec::new(),
        cyclic: false,
        logarithmic: false,
        parts: None,
        arrows: None,
    };
    let arrows = |seed: u64, longest: f64| {
        Some((Field::random(NODES, seed, -1.0, 1.0), Field::random(NODES, seed + 1, -1.0, 1.0), longest, 2.7))
    };
    let levels = [0.1, -0.6, 0.9, 1.2, -0.9, 0.5, -0.25, 0.7];
    let mut all: Vec<Shown> = (1..=8)
        .map(|count| Shown { levels: levels[..count].to_vec(), cyclic: count == 3, ..plain(count as u64) })
        .collect();
    let mut broken = Shown { inside: mask(), ends: [1.25, -1.0], ..plain(20) };
    broken.values.texels[25] = [f32::NAN];
    all.push(broken);
    all.push(Shown { cyclic: true, ends: [-1.0, 1.5], ..plain(21) });
    all.push(Shown { logarithmic: true, ..plain(22) });
    all.push(Shown { logarithmic: true, ends: [-0.3, -1.25], ..plain(23) });
    all.push(Shown { logarithmic: true, ends: [-1.25, 0.3], ..plain(28) });
    all.push(Shown { arrows: arrows(30, 1.3), ..plain(24) });
    all.push(Shown { inside: mask(), pixel: [1.1, 0.6], ..plain(21) });
    all.push(Shown { arrows: arrows(32, 2.4), inside: mask(), pixel: [0.3, 0.2], ..plain(25) });
    let bent = |x: u32, y: u32| [1e-8 * (x * x) as f32 + 2e-8 * y as f32];
    all.push(Shown {
        values: Field::new(NODES, bent),
        ends: [-0.05, 0.05],
        pixel: [3.0, 2.0],
        levels: vec![1e-7],
        ..plain(26)
    });
    // The picture is CORNERS over TARGET pixels.
    let of_pixels = [10.7 / 43.0, 6.6 / 29.0];
    for (across, up, parts) in [(0.25f32, 0.125f32, 5.0), (0.004, 0.0, 3.0), (0.0, 0.0025, 4.0)] {
        let (middle, inside) = (if across == 0.25 { -1.5 } else { -0.255 }, everywhere());
        let values = Field::new(NODES, |x, y| [middle + across * x as f32 + up * y as f32]);
        let slope = [f64::from(across) * of_pixels[0], f64::from(up) * of_pixels[1]];
        all.push(Shown { values, inside, parts: Some((parts, slope)), ..plain(27) });
    }
    all
}

#[test]
fn nodes_have_the_colours_lines_and_arrows_of_the_formula() -> Result<()> {
    on_gpu(|gpu| {
        let palette = palette();
        let (from, to) = CORNERS;
        for (n, shown) in rectangles().iter().enumerate() {
            let flags = [
                ("ARROWS", shown.arrows.is_some()),
                ("LOGARITHMIC", shown.logarithmic),
                ("LINES", shown.parts.is_some()),
                ("MASKED", shown.has_mask()),
            ];
            let kernel = kernels::named("view/nodes_colour.frag")?.with(Prelude::Tones);
            let kernel = flags.iter().fold(kernel, |kernel, (name, on)| kernel.define(name, i32::from(*on)));
            let mut program = gpu.load(kernel)?;
            // Levels that there are none of would be seen.
            let level = |at: usize| shown.levels.get(at).map_or(0.3, |&level| level as f32);
            program
                .bind_stream("values", &shown.values.buffer(gpu)?)?
                .bind_stream("palette", &palette.buffer(gpu)?)?
                .bind_float("low_high", shown.ends.map(|x| x as f32))?
                .bind_float("pixel", shown.pixel.map(|x| x as f32))?
                .bind_float("missing", MISSING.map(|x| x as f32))?
                .bind_float("lines", shown.levels.len() as f32)?
                .bind_float("cyclic", f32::from(u8::from(shown.cyclic)))?
                .bind_float("levels", [0, 1, 2, 3].map(level))?
                .bind_float("more_levels", [4, 5, 6, 7].map(level))?
                .bind_domain("coords", domain(from, to))?;
            if shown.has_mask() || shown.arrows.is_some() {
                program.bind_stream("inside", &shown.inside.buffer(gpu)?)?;
            }
            if let Some((parts, _)) = shown.parts {
                program.bind_float("parts", parts as f32)?;
            }
            if let Some((along, up, longest, between)) = &shown.arrows {
                let longest = gpu.buffer(1, 1).init(&[*longest as f32])?;
                program
                    .bind_stream("along", &along.buffer(gpu)?)?
                    .bind_stream("up", &up.buffer(gpu)?)?
                    .bind_stream("longest", &longest)?
                    .bind_float("between", *between as f32)?;
            }
            let target = untouched(gpu, TARGET)?;
            program.run(&target)?;
            let edges = if shown.parts.is_some() { 0.3 } else { 0.1 };
            check(&format!("rectangle {n}"), &target.data()?, (LEAST, edges), |rounding, i| {
                let colour = shown.colour(rounding, &palette, across(TARGET, from, to, i));
                colour.map_or(Pixel::Edge, Pixel::Is)
            });
        }
        Ok(())
    })
}

#[test]
fn an_arrow_outside_of_the_mask_has_no_length() -> Result<()> {
    on_gpu(|gpu| {
        let [along, up]: [Field<1>; 2] = [40, 41].map(|seed| Field::random(NODES, seed, -0.2, 0.2));
        let inside = Field::new(NODES, |x, y| [if (3 * x + 5 * y) % 7 == 0 { 0.2 } else { 0.8 }]);
        let mut program = gpu.builtin("view/arrow_length.frag")?;
        let target = gpu.buffer(NODES[0], NODES[1]).build()?;
        program
            .bind_stream("along", &along.buffer(gpu)?)?
            .bind_stream("up", &up.buffer(gpu)?)?
            .bind_stream("inside", &inside.buffer(gpu)?)?
            .bind_domain("coords", target.rect())?
            .run(&target)?;
        for (i, found) in target.data()?.into_iter().enumerate() {
            let [a, b] = [&along, &up].map(|field| f64::from(field.texels[i][0]));
            let expected = if inside.texels[i][0] < 0.5 { 0.0 } else { a.hypot(b) };
            assert!(
                (f64::from(found) - expected).abs() <= 8.0 * U * expected,
                "node {i}: {found}, {expected}"
            );
        }
        Ok(())
    })
}
