//! The pool: where light falls on its floor, and what is seen of it.

use quadrille::view::{Ball, Camera, Perspective, Pool};
use quadrille::{Buffer, Gpu, Limits, Result};

use crate::support::{on_card, on_gpu, refusal, snap};
use crate::{check_in_its_place, pixels};

const WIDTH: u32 = 160;
const HEIGHT: u32 = 120;

const FROM_ABOVE: Camera = Camera { azimuth: 0.0, elevation: 90.0, distance: 1.0, field_of_view: 30.0 };

fn heights(gpu: &Gpu, width: u32, height: u32, at: impl Fn(f32, f32) -> f32) -> Result<Buffer> {
    let cells = (0..height).flat_map(|y| (0..width).map(move |x| (x as f32 + 0.5, y as f32 + 0.5)));
    gpu.buffer(width, height).init(&cells.map(|(x, y)| at(x, y)).collect::<Vec<_>>())
}

/// The light on the floor, with the ball's shadow and without, and how many texels a row has.
fn light(pool: &Pool) -> Result<(Vec<[f32; 2]>, usize)> {
    match pool.caustics() {
        Some(map) => Ok((map.data()?.as_chunks::<2>().0.to_vec(), map.width() as usize)),
        None => Ok((Vec::new(), 0)),
    }
}

/// The error of light where water lies still. Half floats have 11 bits, and light is a ratio of areas: each side of a quad is five texels or
/// longer, and its two ends lie off by half of what places are rounded to, in two directions.
fn rounded(gpu: &Gpu) -> f32 {
    0.5f32.powi(11) + 2.0 * snap(gpu) as f32 / 5.0
}

#[test]
fn still_water_lights_all_of_the_floor_alike() -> Result<()> {
    on_gpu(|gpu| {
        let mut pool = Pool::new(gpu)?;
        for (width, height, level) in
            [(64, 64, 0.0), (30, 90, 0.0), (200, 40, 0.0), (1, 1, 0.0), (64, 64, 0.5)]
        {
            let flat = heights(gpu, width, height, |_, _| level)?;
            pool.picture(&flat, None, &FROM_ABOVE, (WIDTH, HEIGHT))?;
            let (light, columns) = light(&pool)?;
            let rows = light.len() / columns;
            assert!(columns.max(rows) == 512, "{columns} x {rows}");
            // Water that stands higher moves all light by a little: its edges lie elsewhere.
            let edge = |n: usize| 1 + (0.1 * level * n as f32) as usize;
            let inside = |i: usize, n: usize| i >= edge(n) && i + edge(n) < n;
            let all = light.iter().enumerate();
            for (i, parts) in all.filter(|(i, _)| inside(i % columns, columns) && inside(i / columns, rows)) {
                assert!(
                    parts.iter().all(|part| (part - 1.0).abs() < rounded(gpu)),
                    "{parts:?} at {i} of {width}x{height}"
                );
            }
        }
        Ok(())
    })
}

/// Light is bent, not made: its sum over the floor is that of still water, wherever a wave throws it. A wave that bulges
/// upwards gathers it, and a hollow scatters it.
#[test]
fn a_bulge_gathers_light_and_a_hollow_scatters_it_and_none_is_lost() -> Result<()> {
    on_gpu(|gpu| {
        let mut pool = Pool::new(gpu)?;
        let mut cast = |amount: f32, radius: f32| -> Result<(f64, f32)> {
            let bump = heights(gpu, 128, 128, |x, y| {
                amount * (-((x - 64.0).hypot(y - 64.0) / radius).powi(2)).exp()
            })?;
            pool.picture(&bump, None, &FROM_ABOVE, (WIDTH, HEIGHT))?;
            let (light, columns) = light(&pool)?;
            let middle = light[columns * columns / 2 + columns / 2][1];
            let inner = |i: usize| {
                (2..columns - 2).contains(&(i % columns)) && (2..columns - 2).contains(&(i / columns))
            };
            let within: Vec<f64> = light
                .iter()
                .enumerate()
                .filter(|(i, _)| inner(*i))
                .map(|(_, parts)| parts[1].into())
                .collect();
            Ok((within.iter().sum::<f64>() / within.len() as f64, middle))
        };
        for (amount, radius) in [(0.3, 16.0), (-0.3, 16.0), (0.8, 8.0)] {
            let (mean, middle) = cast(amount, radius)?;
            // A triangle's light is counted by the middles of texels in it: of a hundred thousand, each off by half a texel at its edge.
            assert!((mean - 1.0).abs() < 5e-3, "{mean} at {amount}, {radius}");
            if radius > 10.0 {
                // A thin lens of focal length f = 4 R, R = radius^2 / (2 amount) = 0.87: (1 - depth / f)^-2 is 1.3 or 0.8, and aslant more.
                assert!(if amount > 0.0 { middle > 1.2 } else { middle < 0.85 }, "{middle} under {amount}");
            }
        }
        Ok(())
    })
}

#[test]
fn a_ball_is_seen_where_it_floats_rises_with_the_water_and_throws_a_shadow() -> Result<()> {
    on_gpu(|gpu| {
        let mut pool = Pool::new(gpu)?;
        let flat = heights(gpu, 100, 80, |_, _| 0.0)?;
        let ball = Ball { place: [30.0, 44.0], radius: 7.0 };
        let red = |picture: &[u8]| -> Vec<usize> {
            let pixels = pixels(picture);
            (0..pixels.len()).filter(|&i| i32::from(pixels[i][0]) > 60 + i32::from(pixels[i][2])).collect()
        };
        let row = |places: &[usize]| {
            places.iter().map(|i| (i / WIDTH as usize) as f64 + 0.5).sum::<f64>() / places.len() as f64
        };
        let column = |places: &[usize]| {
            places.iter().map(|i| (i % WIDTH as usize) as f64 + 0.5).sum::<f64>() / places.len() as f64
        };
        let none = pool.picture(&flat, None, &FROM_ABOVE, (WIDTH, HEIGHT))?;
        assert!(red(&none).is_empty());
        let above = red(&pool.picture(&flat, Some(ball), &FROM_ABOVE, (WIDTH, HEIGHT))?);
        let expected = Perspective::new(&FROM_ABOVE, 100, 80, 160.0 / 120.0)?.picture_of([30.0, 44.0]);
        // Its red panels are not quite around its middle: within half its radius, of 5 pixels.
        assert!((column(&above) - 160.0 * expected[0]).abs() < 4.0, "{} {expected:?}", column(&above));
        assert!((row(&above) - 120.0 * expected[1]).abs() < 4.0, "{} {expected:?}", row(&above));

        let (shadowed, columns) = light(&pool)?;
        let dark: Vec<usize> = (0..shadowed.len()).filter(|&i| shadowed[i][0] < 0.5).collect();
        let inner = |i: &&usize| (1..columns - 1).contains(&(**i % columns));
        let at = dark.iter().filter(inner).map(|i| (i % columns) as f64).sum::<f64>() / dark.len() as f64;
        // The sun stands to the right: the shadow falls to the left of the ball, whose middle is above the water.
        assert!((0.18..0.30).contains(&(at / columns as f64)), "{at} of {columns}");
        assert!(dark.iter().filter(inner).all(|&i| (shadowed[i][1] - 1.0).abs() < rounded(gpu)));

        // From beside: what stands higher is higher in the picture.
        let beside = Camera { azimuth: 0.0, elevation: 15.0, ..FROM_ABOVE };
        let mut seen = |level: f32| -> Result<f64> {
            let water = heights(gpu, 100, 80, |_, _| level)?;
            Ok(row(&red(&pool.picture(&water, Some(ball), &beside, (WIDTH, HEIGHT))?)))
        };
        let (low, high) = (seen(-0.3)?, seen(0.6)?);
        assert!(high + 3.0 < low, "{high} over {low}");
        Ok(())
    })
}

/// Waves change the light on the floor and what is seen of it, and nothing of the deck.
#[test]
fn waves_change_what_is_seen_below_them_and_nothing_beside_them() -> Result<()> {
    on_gpu(|gpu| {
        let mut pool = Pool::new(gpu)?;
        let mut picture = |amount: f32| -> Result<Vec<[u8; 4]>> {
            let water = heights(gpu, 60, 60, |x, y| amount * (0.5 * x).sin() * (0.4 * y).cos())?;
            Ok(pixels(&pool.picture(&water, None, &FROM_ABOVE, (WIDTH, HEIGHT))?))
        };
        let (still, moved) = (picture(0.0)?, picture(0.2)?);
        let perspective = Perspective::new(&FROM_ABOVE, 60, 60, 160.0 / 120.0)?;
        let mut counts = [[0, 0]; 2];
        for (i, (a, b)) in still.iter().zip(&moved).enumerate() {
            let place = [
                ((i % WIDTH as usize) as f64 + 0.5) / f64::from(WIDTH),
                ((i / WIDTH as usize) as f64 + 0.5) / f64::from(HEIGHT),
            ];
            let [x, y] = perspective.cell_of(place).unwrap_or([-100.0; 2]);
            let outside = (x - 30.0).abs().max((y - 30.0).abs()) - 30.0;
            if outside.abs() > 3.0 {
                let differs = a.iter().zip(b).any(|(&a, &b)| a.abs_diff(b) > 12);
                counts[usize::from(outside > 0.0)][usize::from(differs)] += 1;
            }
        }
        let [[same, other], [deck, moved_deck]] = counts;
        assert!(other > same && moved_deck == 0 && deck > 1000, "{counts:?}");
        Ok(())
    })
}

#[test]
fn numbers_that_are_none_are_seen_as_such_and_only_there() -> Result<()> {
    on_gpu(|gpu| {
        let mut pool = Pool::new(gpu)?;
        let perspective = Perspective::new(&FROM_ABOVE, 30, 30, 160.0 / 120.0)?;
        for wild in [f32::NAN, f32::INFINITY, 2e38] {
            let water = heights(gpu, 30, 30, |x, y| if (x, y) == (20.5, 10.5) { wild } else { 0.0 })?;
            let seen = pixels(&pool.picture(&water, None, &FROM_ABOVE, (WIDTH, HEIGHT))?);
            let at = |cell: [f64; 2]| {
                let [x, y] = perspective.picture_of(cell);
                seen[(y * f64::from(HEIGHT)) as usize * WIDTH as usize + (x * f64::from(WIDTH)) as usize]
            };
            let is_broken = |[r, g, b, _]: [u8; 4]| r > 140 && g < 100 && b > 140;
            assert!(is_broken(at([20.5, 10.5])), "{wild} {:?}", at([20.5, 10.5]));
            assert!(!is_broken(at([5.0, 5.0])) && !is_broken(at([20.5, 20.0])), "{wild}");
            let (light, _) = light(&pool)?;
            assert!(light.iter().flatten().all(|part| part.is_finite()), "{wild}");
        }
        Ok(())
    })
}

#[test]
fn a_framebuffer_gets_the_pool_upside_down_in_its_place_alone_and_nothing_is_kept() -> Result<()> {
    on_gpu(|gpu| {
        let mut pool = Pool::new(gpu)?;
        let water = heights(gpu, 31, 27, |x, y| 0.1 * (0.4 * x + 0.2 * y).sin())?;
        let ball = Some(Ball { place: [12.0, 20.0], radius: 4.0 });
        let expected = pixels(&pool.picture(&water, ball, &Camera::default(), (WIDTH, HEIGHT))?);
        let before = gpu.counters().live;
        check_in_its_place(gpu, &expected, (WIDTH, HEIGHT), |framebuffer, place| {
            pool.draw(&water, ball, &Camera::default(), Some(framebuffer), place)
        })?;
        assert_eq!(gpu.counters().live, before);
        Ok(())
    })
}

/// The passes of a frame: nodes, ball, light, water, walls, and the development.
#[test]
fn a_picture_is_six_passes() -> Result<()> {
    on_gpu(|gpu| {
        let mut pool = Pool::new(gpu)?;
        let water = heights(gpu, 20, 20, |_, _| 0.0)?;
        let ball = Some(Ball { place: [10.0, 10.0], radius: 3.0 });
        pool.picture(&water, ball, &Camera::default(), (40, 30))?;
        let before = gpu.counters().passes;
        pool.picture(&water, ball, &Camera::default(), (40, 30))?;
        assert_eq!(gpu.counters().passes - before, 6);
        Ok(())
    })
}

#[test]
fn bad_balls_reliefs_and_cards_are_refused_in_words() -> Result<()> {
    on_gpu(|gpu| {
        let mut pool = Pool::new(gpu)?;
        let flat = heights(gpu, 4, 4, |_, _| 0.0)?;
        let ball = Ball { place: [f32::NAN, 1.0], radius: 1.0 };
        let line = refusal(pool.picture(&flat, Some(ball), &FROM_ABOVE, (8, 8)));
        assert_eq!(line, "ball = 1 at NaN, 1: expected finite numbers");
        assert_eq!(refusal(pool.set_relief(f32::NAN)), "relief = NaN: expected a finite number");
        let camera = Camera { elevation: 100.0, ..FROM_ABOVE };
        assert_eq!(refusal(pool.picture(&flat, None, &camera, (8, 8))), "elevation = 100: expected 1 to 90");
        Ok(())
    })?;
    on_card(Limits::RADEON_9700, |gpu| {
        let line = refusal(Pool::new(gpu));
        assert!(line.contains("streams of the vertex kernel is 1, the limit is 0"), "{line}");
        Ok(())
    })
}
