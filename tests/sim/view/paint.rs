//! The picture of a fluid in a flat box.

use quadrille::pug::Prelude;
use quadrille::{Gpu, Result, kernels};

use super::{
    Field, Pixel, Rounding, U, across, check, domain, lined, mix, mixed, palette, share, smoothstep,
    untouched,
};
use crate::support::on_gpu;

const TARGET: [u32; 2] = [37, 29];
const CELLS: [f64; 2] = [6.0, 5.0];

/// A thirtieth of what a screen of 8 bits tells apart: sRGB goes by powers.
const TOLD: f64 = 1.0 / 8192.0;

const SOLID: [f64; 3] = [0.105, 0.145, 0.19];
const RIM: [f64; 3] = [0.33, 0.39, 0.45];
const DARK: [f64; 3] = [0.006, 0.008, 0.012];

enum Shade {
    Dye,
    Scalar,
    Speed,
    Divergence,
    Nothing,
}

struct Basin {
    shade: Shade,
    solids: Field<1>,
    field: Field<4>,
    velocity: Field<2>,
    /// Texels after which an axis begins anew.
    period: [f64; 2],
    first_centre: f64,
    first_faces: [f64; 4],
    pixels: f64,
    ends: [f64; 2],
    logarithmic: bool,
    /// Intervals that lines divide; of numbers that change so much from pixel to pixel, across and up.
    lines: Option<(f64, [f64; 2])>,
    lights: Option<(Field<3>, f64)>,
    streamlines: Option<Field<1>>,
}

const SPACING: f64 = 0.25;
const CHANNELS: [f64; 4] = [0.0, 0.5, 0.0, 0.0];
const PIXEL: ([f64; 2], [f64; 2]) = ([0.0, 0.0], [5.0, 3.0]);
const STREAK: ([f64; 2], [f64; 2]) = ([0.0, 7.0], [9.0, 0.0]);

impl Basin {
    /// A number of a stream at a texel, beyond whose end is the last one, or the first of a periodic axis.
    fn texel<const N: usize>(&self, of: &Field<N>, texel: [f64; 2]) -> [f64; N] {
        of.at([0, 1].map(|n| match self.period[n] {
            0.0 => texel[n],
            period => texel[n].rem_euclid(period),
        }))
    }

    /// The four places around one and their shares.
    fn around(at: [f64; 2]) -> [([f64; 2], f64); 4] {
        let low = at.map(f64::floor);
        let [x, y] = [at[0] - low[0], at[1] - low[1]];
        [
            (low, (1.0 - x) * (1.0 - y)),
            ([low[0] + 1.0, low[1]], x * (1.0 - y)),
            ([low[0], low[1] + 1.0], (1.0 - x) * y),
            ([low[0] + 1.0, low[1] + 1.0], x * y),
        ]
    }

    /// A component of the velocity, whose first lies there. Faces half a spacing off a side are one fewer.
    fn component(&self, n: usize, place: [f64; 2]) -> f64 {
        let first = [self.first_faces[2 * n], self.first_faces[2 * n + 1]];
        let last = [0, 1].map(|axis| {
            let fewer = first[axis] >= 0.25 && self.period[axis] == 0.0;
            f64::from(self.velocity.size[axis]) - if fewer { 2.0 } else { 1.0 }
        });
        let four = Self::around([place[0] - first[0], place[1] - first[1]]);
        let value = |texel: [f64; 2]| {
            let wrapped = [0, 1].map(|axis| match self.period[axis] {
                0.0 => texel[axis].clamp(0.0, last[axis]),
                period => texel[axis].rem_euclid(period).min(last[axis]),
            });
            self.velocity.at(wrapped)[n]
        };
        four.iter().map(|&(texel, part)| part * value(texel)).sum()
    }

    /// The flow out of a cell a second, by its sides.
    fn divergence(&self, place: [f64; 2]) -> f64 {
        let cell = place.map(f64::floor);
        let at = |dx: f64, dy: f64| self.texel(&self.velocity, [cell[0] + dx, cell[1] + dy]);
        let ([here, east], [north, far]) = ([at(0.0, 0.0), at(1.0, 0.0)], [at(0.0, 1.0), at(1.0, 1.0)]);
        if self.first_faces[1] == 0.0 {
            // Nodes: a side has the mean of its ends.
            let across = 0.5 * (east[0] + far[0]) - 0.5 * (here[0] + north[0]);
            return (across + 0.5 * (north[1] + far[1]) - 0.5 * (here[1] + east[1])) / SPACING;
        }
        (east[0] - here[0] + north[1] - here[1]) / SPACING
    }

    fn mapped(&self, rounding: &Rounding, palette: &Field<3>, number: f64) -> [f64; 3] {
        if number.is_nan() {
            return [1.0, 0.0, 1.0];
        }
        let part = rounding.of(share(number, self.ends, self.logarithmic), 32.0 * U);
        let light = palette.at([255.0 * part.clamp(0.0, 1.0) + 0.5, 0.0]);
        match self.lines {
            Some((lines, [across, up])) => {
                let slope = lines * across.hypot(up) / (self.ends[1] - self.ends[0]).abs();
                lined(light, lines * part, rounding.of(slope, 8.0 * U * lines), lines)
            }
            None => light,
        }
    }

    fn toned(dye: [f64; 4]) -> [f64; 3] {
        let dye = [dye[0].max(0.0), dye[1].max(0.0), dye[2].max(0.0)];
        let most = dye[0].max(dye[1]).max(dye[2]);
        let shown = 1.0 - (-1.6 * most).exp();
        let pale = 0.5 * smoothstep(1.5, 6.0, most);
        [0, 1, 2].map(|n| DARK[n] * (1.0 - shown) + shown * mix(dye[n] / most.max(1e-6), 1.0, pale))
    }

    fn colour(&self, rounding: &Rounding, palette: &Field<3>, i: usize) -> [f64; 4] {
        let place = across(TARGET, [0.0; 2], CELLS, i).map(|x| rounding.of(x, 16.0 * U));
        let four = Self::around(place.map(|x| x - self.first_centre));
        let inside: f64 = four.iter().map(|&(texel, part)| part * self.texel(&self.solids, texel)[0]).sum();
        // A value in a solid is no part of the fluid beside it.
        let open = four.map(|(texel, part)| (texel, part * (1.0 - self.texel(&self.solids, texel)[0])));
        let sum = open.iter().map(|&(_, part)| part).sum::<f64>().max(1e-6);
        let mut shown = [0.0; 4];
        for (texel, part) in open {
            let value = self.texel(&self.field, texel);
            shown = [0, 1, 2, 3].map(|n| shown[n] + part / sum * value[n]);
        }
        let number = match self.shade {
            Shade::Dye | Shade::Nothing => 0.0,
            Shade::Scalar => CHANNELS[1] * shown[1],
            Shade::Speed => self.component(0, place).hypot(self.component(1, place)),
            Shade::Divergence => self.divergence(place),
        };
        let mut light = match self.shade {
            Shade::Dye => Self::toned(shown),
            Shade::Nothing => DARK,
            _ => self.mapped(rounding, palette, number),
        };
        if let Some(streamlines) = &self.streamlines {
            let streak = across(TARGET, STREAK.0, STREAK.1, i).map(|x| rounding.of(x - 0.5, 16.0 * U));
            let four = Self::around(streak);
            let shade: f64 =
                four.iter().map(|&(texel, part)| part * streamlines.at(texel)[0].clamp(0.0, 1.0)).sum();
            light = light.map(|light| light * mix(0.35, 1.65, shade) + 0.03 * shade * shade);
        }
        if self.lights.is_some() {
            light = light.map(|light| 0.4 * light);
        }
        let body = ((inside - 0.5) * self.pixels.max(1.0) + 0.5).clamp(0.0, 1.0);
        light = mixed(light, mixed(RIM, SOLID, smoothstep(0.75, 1.0, inside)), body);
        if let Some((lights, white)) = &self.lights {
            let points = lights.at(across(TARGET, PIXEL.0, PIXEL.1, i).map(|x| rounding.of(x, 16.0 * U)));
            let most = points[0].max(points[1]).max(points[2]);
            let lit = (most.asinh() / white.asinh()).min(1.0);
            light = mixed(light, points.map(|point| point / most.max(1e-6)), lit);
        }
        // sRGB.
        let [r, g, b] = light.map(|x| {
            let x = x.clamp(0.0, 1.0);
            if x < 0.0031308 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 }
        });
        [r, g, b, 1.0]
    }

    fn drawn(&self, gpu: &Gpu, palette: &Field<3>) -> Result<Vec<f32>> {
        let number = match self.shade {
            Shade::Dye => 0,
            Shade::Scalar => 1,
            Shade::Speed => 2,
            Shade::Divergence => 3,
            Shade::Nothing => 4,
        };
        let kernel = kernels::named("view/fluid_paint.frag")?.with(Prelude::Tones).define("SHADE", number);
        let flags = [
            ("LIGHTS", self.lights.is_some()),
            ("LOGARITHMIC", self.logarithmic),
            ("LINES", self.lines.is_some()),
            ("STREAMLINES", self.streamlines.is_some()),
        ];
        let kernel = flags.iter().fold(kernel, |kernel, (name, on)| kernel.define(name, i32::from(*on)));
        let mut program = gpu.load(kernel)?;
        let narrow = |pair: [f64; 2]| pair.map(|x| x as f32);
        program
            .bind_stream("solids", &self.solids.buffer(gpu)?)?
            .bind_float("period", narrow(self.period))?
            .bind_float("first_centre", narrow([self.first_centre; 2]))?
            .bind_float("pixels", self.pixels as f32)?
            .bind_domain("place", domain([0.0; 2], CELLS))?;
        if number < 2 {
            program.bind_stream("field", &self.field.buffer(gpu)?)?;
        } else if number < 4 {
            program.bind_stream("velocity", &self.velocity.buffer(gpu)?)?;
            program.bind_float("first_faces", self.first_faces.map(|x| x as f32))?;
        }
        if number == 1 {
            program.bind_float("channels", CHANNELS.map(|x| x as f32))?;
        }
        if number == 3 {
            program.bind_float("spacing", SPACING as f32)?;
        }
        if (1..4).contains(&number) {
            program
                .bind_stream("palette", &palette.buffer(gpu)?)?
                .bind_float("low_high", narrow(self.ends))?;
        }
        if let Some((lines, _)) = self.lines {
            program.bind_float("lines", lines as f32)?;
        }
        if let Some((lights, white)) = &self.lights {
            program.bind_stream("lights", &lights.buffer(gpu)?)?.bind_float("white", *white as f32)?;
            program.bind_domain("pixel", domain(PIXEL.0, PIXEL.1))?;
        }
        if let Some(streamlines) = &self.streamlines {
            program.bind_stream("streamlines", &streamlines.buffer(gpu)?)?;
            program.bind_domain("streak", domain(STREAK.0, STREAK.1))?;
        }
        let target = untouched(gpu, TARGET)?;
        program.run(&target)?;
        target.data()
    }
}

/// Every shade on each kind of grid and of edge, with lights and streamlines in turn.
fn boxes() -> Vec<Basin> {
    let [columns, rows] = CELLS.map(|cells| cells as u32);
    let solid =
        |x: u32, y: u32| f32::from(u8::from((x == 2 && y < 3) || (x == 3 && y > 2) || (x, y) == (0, 4)));
    // A grid has one node more than cells; a staggered one has its scalars in the middle of cells.
    let staggered = |shade: Shade, seed: u64| Basin {
        shade,
        solids: Field::new([columns, rows], |x, y| [solid(x, y)]),
        field: Field::random([columns, rows], seed, -0.3, 4.0),
        velocity: Field::random([columns + 1, rows + 1], seed + 50, -1.0, 1.5),
        period: [0.0; 2],
        first_centre: 0.5,
        first_faces: [0.0, 0.5, 0.5, 0.0],
        pixels: 6.0,
        ends: [-0.2, 1.6],
        logarithmic: false,
        lines: None,
        lights: None,
        streamlines: None,
    };
    let collocated = |shade: Shade, seed: u64| Basin {
        solids: Field::new([columns + 1, rows + 1], |x, y| [solid(x, y)]),
        field: Field::random([columns + 1, rows + 1], seed, -0.5, 9.0),
        first_centre: 0.0,
        first_faces: [0.0; 4],
        pixels: 0.5,
        ..staggered(shade, seed)
    };
    let lights = |seed: u64| {
        let mut lights: Field<3> = Field::random([5, 3], seed, 0.0, 3.0);
        lights.texels[4] = [0.0; 3];
        lights.texels[7] = [0.05, 0.02, 0.0];
        Some((lights, 2.2))
    };
    let streamlines = |seed: u64| Some(Field::random([9, 7], seed, -0.2, 1.2));
    // Faint dye, whose colour is that of the dark.
    let mut faint = staggered(Shade::Dye, 5);
    for texel in &mut faint.field.texels {
        *texel = texel.map(|dye| 1e-3 * dye);
    }
    let mut broken = staggered(Shade::Scalar, 6);
    broken.field.texels[14][1] = f32::NAN;
    for texel in &mut broken.field.texels {
        texel[2] = f32::INFINITY;
    }
    // Linear in both directions: over TARGET pixels, too. The others are open.
    let linear = |across: f32, up: f32, lines: f64, ends: [f64; 2]| Basin {
        solids: Field::new([columns + 1, rows + 1], |_, _| [0.0]),
        field: Field::new([columns + 1, rows + 1], |x, y| {
            [0.0, 2.0 * (across * x as f32 + up * y as f32), 1.0, 1.0]
        }),
        lines: Some((
            lines,
            [
                f64::from(across) * CELLS[0] / f64::from(TARGET[0]),
                f64::from(up) * CELLS[1] / f64::from(TARGET[1]),
            ],
        )),
        ends,
        ..collocated(Shade::Scalar, 8)
    };
    vec![
        staggered(Shade::Dye, 1),
        Basin { period: [6.0, 0.0], lights: lights(2), ..staggered(Shade::Dye, 2) },
        Basin { streamlines: streamlines(3), ..collocated(Shade::Dye, 3) },
        faint,
        broken,
        Basin { period: [0.0, 5.0], ..staggered(Shade::Scalar, 7) },
        Basin {
            logarithmic: true,
            lights: lights(9),
            streamlines: streamlines(9),
            ..collocated(Shade::Scalar, 9)
        },
        staggered(Shade::Speed, 10),
        Basin { period: [6.0, 5.0], ..staggered(Shade::Speed, 11) },
        Basin { logarithmic: true, ..collocated(Shade::Speed, 12) },
        Basin { ends: [-9.0, 9.0], ..staggered(Shade::Divergence, 13) },
        Basin { ends: [-9.0, 9.0], period: [6.0, 5.0], ..staggered(Shade::Divergence, 14) },
        Basin { ends: [-5.0, 7.0], ..collocated(Shade::Divergence, 15) },
        Basin { lights: lights(16), ..staggered(Shade::Nothing, 16) },
        Basin { streamlines: streamlines(17), pixels: 1.0, ..collocated(Shade::Nothing, 17) },
        linear(0.5, 0.25, 6.0, [0.4, 3.1]),
        linear(0.002, 0.001, 3.0, [-0.3, 0.5]),
        linear(0.0, -0.001, 3.0, [0.3, -0.3]),
    ]
}

#[test]
fn a_fluid_has_the_colours_of_the_formula() -> Result<()> {
    on_gpu(|gpu| {
        let palette = palette();
        for (n, shown) in boxes().iter().enumerate() {
            let found = shown.drawn(gpu, &palette)?;
            check(&format!("box {n}"), &found, (TOLD, 0.1), |rounding, i| {
                // A change from pixel to pixel is that of pairs: one of the last pairs lies beyond the box.
                if shown.lines.is_some()
                    && (i + 1) % TARGET[0] as usize * (TARGET[1] as usize - 1 - i / TARGET[0] as usize) == 0
                {
                    return Pixel::Edge;
                }
                Pixel::Is(shown.colour(rounding, &palette, i))
            });
        }
        Ok(())
    })
}
