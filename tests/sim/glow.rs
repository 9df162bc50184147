//! Bodies that glow: where they are in the picture, that their light adds, and what is not seen.

use quadrille::view::{Camera, Glow, Lens, Look, Points, Stage, Trail};
use quadrille::{Buffer, Error, Gpu, Limits, Result};

use crate::support::{Random, on_card, on_gpu, refusal};
use crate::{check_in_its_place, pixels};

/// Odd, so that there is a pixel in the middle.
const WIDTH: u32 = 181;
const HEIGHT: u32 = 139;

const STAGE: Stage = Stage { low: [-2.0; 3], high: [2.0; 3], ground: None };

const LOOK: Look = Look {
    speeds: [0.0, 1.0],
    radius: 0.3,
    growth: 1.0 / 3.0,
    least: 1.0,
    exposure: 1.0,
    haze: 0.0,
    magnitudes: 0.0,
    sun: f32::INFINITY,
};

/// Straight down: the middle of the stage is the middle of the picture.
const ABOVE: Camera = Camera { azimuth: 0.0, elevation: 90.0, distance: 1.0, field_of_view: 30.0 };

const WHITE: [[u8; 3]; 256] = [[255; 3]; 256];

/// Position, mass, velocity.
type Body = ([f32; 3], f32, [f32; 3]);

fn at(position: [f32; 3]) -> Body {
    (position, 1.0, [0.0; 3])
}

struct Bodies {
    positions: Buffer,
    velocities: Buffer,
}

impl Bodies {
    fn new(gpu: &Gpu, bodies: &[Body]) -> Result<Bodies> {
        let positions: Vec<f32> = bodies.iter().flat_map(|&([x, y, z], mass, _)| [x, y, z, mass]).collect();
        let velocities: Vec<f32> = bodies.iter().flat_map(|&(_, _, [x, y, z])| [x, y, z, 0.0]).collect();
        let array = |values: &[f32]| gpu.array(bodies.len()).components(4).init(values);
        Ok(Bodies { positions: array(&positions)?, velocities: array(&velocities)? })
    }

    fn points(&self) -> Points<'_> {
        Points { positions: &self.positions, velocities: &self.velocities, trail: None }
    }
}

fn picture(gpu: &Gpu, glow: &mut Glow, bodies: &[Body], camera: &Camera) -> Result<Vec<[u8; 4]>> {
    let bodies = Bodies::new(gpu, bodies)?;
    Ok(pixels(&glow.picture(bodies.points(), &LOOK, (&STAGE, camera), (WIDTH, HEIGHT))?))
}

fn lens(camera: &Camera) -> Result<Lens> {
    STAGE.lens(camera, f64::from(WIDTH) / f64::from(HEIGHT))
}

fn brightness([r, g, b, _]: [u8; 4]) -> u32 {
    u32::from(r) + u32::from(g) + u32::from(b)
}

/// The pixel of a place in the world.
fn pixel(seen: &[[u8; 4]], lens: &Lens, place: [f32; 3]) -> [u8; 4] {
    let [x, y] = lens.picture_of(place.map(f64::from));
    seen[(y * f64::from(HEIGHT)) as usize * WIDTH as usize + (x * f64::from(WIDTH)) as usize]
}

/// All pixels are alike: 0 for the backdrop alone.
fn brightest(seen: &[[u8; 4]]) -> u32 {
    let least = seen.iter().map(|&p| brightness(p)).min().unwrap_or(0);
    seen.iter().map(|&p| brightness(p)).max().unwrap_or(0) - least
}

#[test]
fn a_body_shines_where_the_lens_says_whatever_its_size() -> Result<()> {
    on_gpu(|gpu| {
        let mut glow = Glow::new(gpu, &WHITE)?;
        let mut random = Random(3);
        for (azimuth, elevation, distance) in
            [(0.0, 90.0, 1.0), (25.0, 35.0, 1.0), (-140.0, 5.0, 0.7), (80.0, 50.0, 2.0)]
        {
            let camera = Camera { azimuth, elevation, distance, ..ABOVE };
            let lens = lens(&camera)?;
            for mass in [0.0, 1e-6, 0.1, 1.0, 8.0] {
                let place: [f32; 3] = std::array::from_fn(|_| random.signed());
                let seen = picture(gpu, &mut glow, &[(place, mass, [0.0; 3])], &camera)?;
                let behind = seen.iter().map(|&p| brightness(p)).min().unwrap_or(0);
                let (mut sum, mut middle) = (0.0, [0.0; 2]);
                for (i, &found) in seen.iter().enumerate() {
                    let light = f64::from(brightness(found) - behind);
                    let (x, y) = (i % WIDTH as usize, i / WIDTH as usize);
                    sum += light;
                    middle = [middle[0] + light * (x as f64 + 0.5), middle[1] + light * (y as f64 + 0.5)];
                }
                let [x, y] = lens.picture_of(place.map(f64::from));
                let off = [middle[0] / sum - x * f64::from(WIDTH), middle[1] / sum - y * f64::from(HEIGHT)];
                // A disc of one pixel's radius is seen by some four texels of half a pixel.
                assert!(off.iter().all(|v| v.abs() < 0.5), "{off:?} {mass} {camera:?}");
                assert!(brightest(&seen) > 60, "{mass} {camera:?}");
            }
        }
        Ok(())
    })
}

#[test]
fn a_glow_is_round_and_fades_from_its_middle() -> Result<()> {
    on_gpu(|gpu| {
        let mut glow = Glow::new(gpu, &WHITE)?;
        let seen = picture(gpu, &mut glow, &[at([0.0; 3])], &ABOVE)?;
        let (columns, rows) = (WIDTH as usize, HEIGHT as usize);
        let of = |x: usize, y: usize| brightness(seen[y * columns + x]);
        let (x, y) = (columns / 2, rows / 2);
        for (right, down) in (0..12).flat_map(|right| (0..12).map(move |down| (right, down))) {
            let around = [of(x + right, y + down), of(x - right, y + down), of(x + right, y - down)];
            let turned = of(x + down, y + right);
            // Three channels, each rounded once.
            assert!(around.iter().all(|other| other.abs_diff(turned) <= 3), "{around:?} {turned}");
        }
        let ray: Vec<u32> = (0..columns / 2).map(|right| of(x + right, y)).collect();
        assert!(ray.is_sorted_by(|nearer, farther| nearer >= farther), "{ray:?}");
        let radius = lens(&ABOVE)?.share_of(0.3, lens(&ABOVE)?.depth_of([0.0; 3])) * f64::from(HEIGHT);
        let covered = ray.iter().filter(|&&light| light > ray[columns / 2 - 1]).count();
        // Outside there is nothing, and near the rim less than a number can say.
        assert!((0.4 * radius..=radius + 1.0).contains(&(covered as f64)), "{covered} of {radius}");
        Ok(())
    })
}

/// The least and the most light that are shown as that number of 0 to 255, without what lies behind.
fn light_of(shown: u8, behind: u8) -> [f64; 2] {
    let linear = |shown: f64| ((shown / 255.0 + 0.055) / 1.055).max(0.0).powf(2.4);
    let bent = |shown: f64, behind: f64| linear(shown) - linear(behind);
    let (shown, behind) = (f64::from(shown), f64::from(behind));
    [bent(shown - 0.6, behind + 0.6), bent(shown + 0.6, behind - 0.6)]
        .map(|bent| (bent * 400f64.asinh()).sinh())
}

#[test]
fn light_adds() -> Result<()> {
    on_gpu(|gpu| {
        let mut glow = Glow::new(gpu, &WHITE)?;
        let mut middle = |count: usize| -> Result<[u8; 2]> {
            let seen = picture(gpu, &mut glow, &vec![at([0.0; 3]); count], &ABOVE)?;
            Ok([seen[seen.len() / 2][1], seen[0][1]])
        };
        let one = middle(1)?;
        let [least, most] = light_of(one[0], one[1]);
        for count in [2, 3, 10, 45] {
            let [shown, behind] = middle(count)?;
            let [low, high] = light_of(shown, behind);
            let n = count as f64;
            assert!(low <= n * most && high >= n * least, "{count}: {low} to {high}, one {least} to {most}");
            assert!(shown < 255, "{count} bodies show no structure any more");
        }
        Ok(())
    })
}

#[test]
fn every_body_of_a_folded_array_is_there_and_their_order_is_not_seen() -> Result<()> {
    on_gpu(|gpu| {
        let mut glow = Glow::new(gpu, &WHITE)?;
        let camera = Camera { azimuth: 30.0, elevation: 40.0, ..ABOVE };
        for count in [1, 2, 3, 7, 31, 57, 128] {
            let mut random = Random(count as u64);
            let place = |_| -> Body { (std::array::from_fn(|_| 1.8 * random.signed()), 1e-4, [0.0; 3]) };
            let mut bodies: Vec<Body> = (0..count).map(place).collect();
            let seen = picture(gpu, &mut glow, &bodies, &camera)?;
            let lens = lens(&camera)?;
            for &(place, ..) in &bodies {
                let found = brightness(pixel(&seen, &lens, place));
                assert!(found > brightness(seen[0]) + 30, "{place:?} of {count}: {found}");
            }
            bodies.reverse();
            let back = picture(gpu, &mut glow, &bodies, &camera)?;
            // Half floats: sums of up to three bodies in another order differ in their last bit.
            let same = seen.iter().zip(&back).all(|(a, b)| brightness(*a).abs_diff(brightness(*b)) <= 3);
            assert!(same, "{count}");
        }
        Ok(())
    })
}

#[test]
fn slow_bodies_have_the_first_colour_and_fast_ones_the_last() -> Result<()> {
    on_gpu(|gpu| {
        let mut colours = [[0, 0, 0]; 256];
        for (i, colour) in colours.iter_mut().enumerate() {
            *colour = if i < 128 { [255, 20, 20] } else { [20, 20, 255] };
        }
        let mut glow = Glow::new(gpu, &colours)?;
        let mut look = |velocity: [f32; 3]| -> Result<[u8; 4]> {
            let seen = picture(gpu, &mut glow, &[([0.0; 3], 1.0, velocity)], &ABOVE)?;
            Ok(seen[seen.len() / 2])
        };
        for (velocity, red) in
            [([0.0; 3], true), ([0.2, -0.2, 0.1], true), ([-0.5, 0.5, 0.5], false), ([0.0, 9e30, 0.0], false)]
        {
            let [r, _, b, _] = look(velocity)?;
            assert_eq!(r > b, red, "{velocity:?}");
            assert!(r.abs_diff(b) > 40, "{velocity:?}");
        }
        let [r, g, b, _] = look([f32::NAN, 0.0, 0.0])?;
        assert!(r.abs_diff(b) <= 2 && r > g + 40, "magenta for what is no number: {r} {g} {b}");
        // A dark colour is made a light one.
        glow.set_colours(&[[0; 3]; 256])?;
        assert!(brightest(&picture(gpu, &mut glow, &[at([0.0; 3])], &ABOVE)?) > 100);
        Ok(())
    })
}

#[test]
fn bodies_behind_the_eye_or_nowhere_are_not_seen_and_harm_nothing() -> Result<()> {
    on_gpu(|gpu| {
        let mut glow = Glow::new(gpu, &WHITE)?;
        let (one, inside) = (at([0.3, 0.2, -0.1]), Camera { distance: 0.2, elevation: 30.0, ..ABOVE });
        for camera in [ABOVE, inside] {
            let expected = picture(gpu, &mut glow, &[one], &camera)?;
            for far in [f32::NAN, f32::INFINITY, -f32::INFINITY, 1e30, -3e38] {
                for axis in 0..3 {
                    let mut lost = at([0.0; 3]);
                    lost.0[axis] = far;
                    assert_eq!(picture(gpu, &mut glow, &[lost, one], &camera)?, expected, "{far} {axis}");
                }
            }
            let up = camera.elevation.to_radians();
            let behind = [0.0, 50.0 * up.sin(), 50.0 * up.cos()];
            assert!(lens(&camera)?.depth_of(behind.map(f64::from)) < 0.0);
            assert_eq!(picture(gpu, &mut glow, &[at(behind), one], &camera)?, expected, "behind");
        }
        let nothing = picture(gpu, &mut glow, &[at([f32::NAN; 3])], &ABOVE)?;
        assert_eq!(brightest(&nothing), 0);
        Ok(())
    })
}

/// A halo lies round its body, far wider than the disc, and as bright as it is told to be; many make a haze.
#[test]
fn halos_are_wide_round_and_add() -> Result<()> {
    on_gpu(|gpu| {
        let mut glow = Glow::new(gpu, &WHITE)?;
        let mut look = |count: usize, haze: f32| -> Result<Vec<[u8; 4]>> {
            let bodies = Bodies::new(gpu, &vec![at([0.0; 3]); count])?;
            let look = Look { radius: 0.02, haze, ..LOOK };
            Ok(pixels(&glow.picture(bodies.points(), &look, (&STAGE, &ABOVE), (WIDTH, HEIGHT))?))
        };
        let (columns, middle) = (WIDTH as usize, (WIDTH * HEIGHT / 2) as usize);
        let bare = look(1, 0.0)?;
        let [some, more] = [look(1, 0.1)?, look(3, 0.1)?];
        let thrice = look(1, 0.3)?;
        // Six pixels off there is no disc any more.
        for far in [6, 6 * columns] {
            for at in [middle + far, middle - far] {
                assert_eq!(bare[at], bare[0]);
                assert!(brightness(some[at]) > brightness(bare[at]) + 20, "{:?}", some[at]);
                // A rounding of half floats and one to 8 bits in each of three colours.
                let off = brightness(more[at]).abs_diff(brightness(thrice[at]));
                assert!(off <= 6, "three halos are one of three times the light: {off}");
            }
            let off = brightness(some[middle + far]).abs_diff(brightness(some[middle - far]));
            assert!(off <= 12, "round, but for texels of which 139 / 80 are a pixel: {off}");
        }
        assert_eq!(some[0], bare[0], "it ends");
        assert_eq!(look(1, 0.0)?, bare, "and leaves nothing behind");
        Ok(())
    })
}

/// Numbers of bodies say how bright they are: the golden section spreads them over all magnitudes.
#[test]
fn small_bodies_differ_by_magnitudes_and_large_ones_do_not() -> Result<()> {
    on_gpu(|gpu| {
        let mut glow = Glow::new(gpu, &WHITE)?;
        let places: Vec<Body> = (0..8).map(|n| ([0.45 * n as f32 - 1.6, 0.0, 0.0], 1.0, [0.0; 3])).collect();
        let bodies = Bodies::new(gpu, &places)?;
        let mut shown = |radius: f32, magnitudes: f32| -> Result<Vec<u32>> {
            let look = Look { radius, least: 2.0, exposure: 30.0, magnitudes, ..LOOK };
            let seen = pixels(&glow.picture(bodies.points(), &look, (&STAGE, &ABOVE), (WIDTH, HEIGHT))?);
            let lens = lens(&ABOVE)?;
            Ok(places.iter().map(|&(place, ..)| brightness(pixel(&seen, &lens, place))).collect())
        };
        let by_number = |shown: Vec<u32>| {
            let mut order: Vec<usize> = (0..8).collect();
            order.sort_by_key(|&n| std::cmp::Reverse(shown[n]));
            order
        };
        let dimmest_last = [0, 5, 2, 7, 4, 1, 6, 3]; // by the fraction of 0.618 n
        assert_eq!(by_number(shown(0.01, 8.0)?), dimmest_last);
        let large = shown(0.3, 8.0)?;
        assert_eq!(large, shown(0.3, 0.0)?);
        let alike = shown(0.01, 0.0)?;
        let spread = alike.iter().max().zip(alike.iter().min()).map_or(0, |(most, least)| most - least);
        // Discs of two pixels lie differently on their texels.
        assert!(spread < 120, "{alike:?}");
        Ok(())
    })
}

/// A body of that mass or more is warm white whatever its speed and the colours of speeds; the others are as they were.
#[test]
fn suns_shine_by_themselves() -> Result<()> {
    on_gpu(|gpu| {
        let mut glow = Glow::new(gpu, &[[0, 0, 255]; 256])?;
        let places: [Body; 2] = [([-1.0, 0.0, 0.0], 2.0, [0.0; 3]), ([1.0, 0.0, 0.0], 1.99, [0.0; 3])];
        let (bodies, lens) = (Bodies::new(gpu, &places)?, lens(&ABOVE)?);
        let mut seen = |sun: f32| -> Result<[[u8; 4]; 2]> {
            let look = Look { exposure: 20.0, sun, ..LOOK };
            let seen = pixels(&glow.picture(bodies.points(), &look, (&STAGE, &ABOVE), (WIDTH, HEIGHT))?);
            Ok(places.map(|(place, ..)| pixel(&seen, &lens, place)))
        };
        let [none, [sun, other]] = [seen(f32::INFINITY)?, seen(2.0)?];
        assert_eq!(other, none[1]);
        let [red, green, blue, _] = sun;
        assert!(red > 240 && green > 220 && blue > 190 && red >= green && green > blue, "{sun:?}");
        assert!(none[0][2] > none[0][0], "without one it is blue: {none:?}");
        Ok(())
    })
}

#[test]
fn any_size_of_picture_is_drawn() -> Result<()> {
    on_gpu(|gpu| {
        let mut glow = Glow::new(gpu, &WHITE)?;
        let bodies = Bodies::new(gpu, &[at([0.0; 3])])?;
        for (width, height) in [(1, 1), (1, 2), (2, 1), (3, 3), (31, 57), (127, 2), (2, 251)] {
            let seen = glow.picture(bodies.points(), &LOOK, (&STAGE, &ABOVE), (width, height))?;
            assert_eq!(seen.len(), (4 * width * height) as usize);
            let middle = pixels(&seen)[(height / 2 * width + width / 2) as usize];
            assert!(brightness(middle) > 60, "{width}x{height}: {middle:?}");
        }
        Ok(())
    })
}

#[test]
fn a_framebuffer_gets_the_picture_upside_down_in_its_place_alone() -> Result<()> {
    on_gpu(|gpu| {
        let mut glow = Glow::new(gpu, &WHITE)?;
        let bodies = [at([1.0, 0.5, 0.2]), at([-0.7, -1.0, 0.4]), at([2.1, 0.0, 2.0])];
        let expected = picture(gpu, &mut glow, &bodies, &Camera::default())?;
        let bodies = Bodies::new(gpu, &bodies)?;
        check_in_its_place(gpu, &expected, (WIDTH, HEIGHT), |framebuffer, place| {
            glow.draw(bodies.points(), &LOOK, (&STAGE, &Camera::default()), Some(framebuffer), place)
        })
    })
}

/// Vertices are numbered up to 3 · 2²², past 2²³, where floats have no halves any more. Only the last bodies are anywhere.
#[test]
fn the_last_of_four_million_bodies_shine_where_they_are() -> Result<()> {
    on_gpu(|gpu| {
        const COUNT: usize = 1 << 22;
        let mut glow = Glow::new(gpu, &WHITE)?;
        let places = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
        let mut texels = vec![f32::NAN; 4 * (COUNT - places.len())];
        texels.extend(places.iter().flat_map(|&[x, y, z]| [x, y, z, 1.0]));
        let array = gpu.array(COUNT).components(4);
        let many =
            Bodies { positions: array.init(&texels)?, velocities: gpu.array(COUNT).components(4).build()? };
        let seen = pixels(&glow.picture(many.points(), &LOOK, (&STAGE, &ABOVE), (WIDTH, HEIGHT))?);
        assert!(seen == picture(gpu, &mut glow, &places.map(at), &ABOVE)?);
        Ok(())
    })
}

#[test]
fn a_trail_fades_towards_its_oldest_moment_and_forgets_what_was_before() -> Result<()> {
    on_gpu(|gpu| {
        let mut glow = Glow::new(gpu, &WHITE)?;
        let place = |moment: u32, body: u32| [moment as f32 * 0.5 - 1.5, 0.0, body as f32 - 1.0];
        let bodies =
            |moment| -> Vec<Body> { (0..3).map(|body| (place(moment, body), 0.01, [0.0; 3])).collect() };
        let first = Bodies::new(gpu, &bodies(0))?;
        let mut trail = Trail::new(gpu, [&first.positions, &first.velocities], 3, 4)?;
        assert!(trail.is_empty());
        let mut look = |trail: &Trail, moment| -> Result<Vec<[u8; 4]>> {
            let now = Bodies::new(gpu, &bodies(moment))?;
            let points = Points { trail: Some(trail), ..now.points() };
            Ok(pixels(&glow.picture(points, &LOOK, (&STAGE, &ABOVE), (WIDTH, HEIGHT))?))
        };
        let empty = brightness(look(&trail, 0)?[0]);
        for moment in 0..7 {
            let now = Bodies::new(gpu, &bodies(moment))?;
            trail.keep(&now.positions, &now.velocities)?;
            assert_eq!(trail.len(), 4.min(moment as usize + 1));
            let (seen, lens) = (look(&trail, moment)?, lens(&ABOVE)?);
            for body in 0..3 {
                let of = |moment| brightness(pixel(&seen, &lens, place(moment, body)));
                let shown: Vec<u32> = (0..=moment).map(of).collect();
                let kept = &shown[shown.len().saturating_sub(4)..];
                assert!(kept.is_sorted_by(|older, newer| older < newer) && kept[0] > empty, "{shown:?}");
                assert!(shown.iter().rev().skip(4).all(|&old| old == empty), "{shown:?}");
            }
        }
        // With more bodies, in rows of another width, the first three keep their tails and the others have none; then all have one.
        let far = |i: usize| [i as f32 * 0.25 - 1.5, 0.0, 1.9];
        let more =
            |moment| -> Vec<Body> { bodies(moment).into_iter().chain((0..9).map(far).map(at)).collect() };
        let wide = Bodies::new(gpu, &more(6))?;
        let mut wider = trail.widened(gpu, [&wide.positions, &wide.velocities], 5)?;
        assert_eq!(wider.len(), 4);
        assert_eq!(look(&wider, 6)?, look(&trail, 6)?);
        wider.keep(&wide.positions, &wide.velocities)?;
        let (seen, above) = (look(&wider, 6)?, lens(&ABOVE)?);
        let shown = [0, 1, 2].map(|i| brightness(pixel(&seen, &above, far(i))));
        assert!(shown[0] > empty && shown[1] > empty && shown[2] == empty, "{shown:?}");
        assert_eq!(brightness(pixel(&seen, &above, place(3, 0))), empty, "the oldest has gone");
        trail.clear();
        let (seen, now) = (look(&trail, 0)?, picture(gpu, &mut Glow::new(gpu, &WHITE)?, &bodies(0), &ABOVE)?);
        assert_eq!(seen, now);
        // The first of many bodies, which lie in the first rows of the array.
        let many: Vec<Body> = (0..30).map(|i| at([i as f32 * 0.1 - 1.5, 0.0, 1.0])).collect();
        let many = Bodies::new(gpu, &many)?;
        let mut some = Trail::new(gpu, [&many.positions, &many.velocities], 8, 2)?;
        some.keep(&many.positions, &many.velocities)?;
        let (seen, lens) = (look(&some, 0)?, lens(&ABOVE)?);
        let shown = [3, 7, 12, 29].map(|i| brightness(pixel(&seen, &lens, [i as f32 * 0.1 - 1.5, 0.0, 1.0])));
        assert!(shown[0] > empty && shown[1] > empty && shown[2..] == [empty; 2], "{shown:?}");
        let other = Bodies::new(gpu, &bodies(0)[..2])?;
        let line = refusal(trail.keep(&other.positions, &other.velocities));
        assert!(line.contains("a trail of 3 bodies"), "{line}");
        let elsewhere = Gpu::headless()?;
        let other = Bodies::new(&elsewhere, &bodies(0))?;
        let refused = trail.keep(&other.positions, &other.velocities);
        assert!(matches!(refused, Err(Error::OtherContext { .. })));
        Ok(())
    })
}

#[test]
fn a_picture_costs_two_passes_and_no_upload_and_leaves_nothing() -> Result<()> {
    on_gpu(|gpu| {
        let mut glow = Glow::new(gpu, &WHITE)?;
        let bodies = Bodies::new(gpu, &[at([0.0; 3]), at([1.0; 3])])?;
        let mut cost = || -> Result<(u64, u64, usize)> {
            let before = gpu.counters();
            glow.picture(bodies.points(), &LOOK, (&STAGE, &ABOVE), (WIDTH, HEIGHT))?;
            let after = gpu.counters();
            Ok((after.passes - before.passes, after.uploads - before.uploads, after.live))
        };
        let (.., live) = cost()?;
        for _ in 0..3 {
            assert_eq!(cost()?, (2, 0, live));
        }
        Ok(())
    })
}

#[test]
fn what_cannot_be_drawn_is_refused_in_words() -> Result<()> {
    on_gpu(|gpu| {
        let mut glow = Glow::new(gpu, &WHITE)?;
        let (bodies, few) = (Bodies::new(gpu, &[at([0.0; 3]); 5])?, Bodies::new(gpu, &[at([0.0; 3]); 2])?);
        let mut draw =
            |points: Points, look: Look| refusal(glow.picture(points, &look, (&STAGE, &ABOVE), (8, 8)));
        let line = draw(bodies.points(), Look { speeds: [1.0, 1.0], ..LOOK });
        assert_eq!(line, "speeds of the colours = 1 to 1: expected two different finite ends");
        let line = draw(bodies.points(), Look { radius: f32::NAN, ..LOOK });
        assert_eq!(line, "radius of the glow = NaN: expected 0 to 1e12");
        let line = draw(bodies.points(), Look { growth: 1.5, ..LOOK });
        assert_eq!(line, "growth of the radius = 1.5: expected 0 to 1");
        let line = draw(bodies.points(), Look { least: 0.5, ..LOOK });
        assert_eq!(line, "radius of the smallest disc = 0.5: expected 0.7 to 50");
        let line = draw(bodies.points(), Look { haze: 1.5, ..LOOK });
        assert!(line.starts_with("haze = 1.5"), "{line}");
        let line = draw(bodies.points(), Look { magnitudes: -1.0, ..LOOK });
        assert!(line.starts_with("magnitudes = -1"), "{line}");
        let line = draw(bodies.points(), Look { sun: f32::NAN, ..LOOK });
        assert_eq!(line, "mass of a sun = NaN: expected above 0");
        let line = draw(bodies.points(), Look { exposure: 0.0, ..LOOK });
        assert_eq!(line, "exposure = 0: expected 0.01 to 100");
        let line = draw(Points { velocities: &few.velocities, ..bodies.points() }, LOOK);
        assert!(line.starts_with("velocities of bodies"), "{line}");
        let flat = gpu.array(5).components(2).build()?;
        let line = draw(Points { positions: &flat, ..bodies.points() }, LOOK);
        assert!(line.contains("4 components: x, y, z, mass"), "{line}");
        let many = Trail::new(gpu, [&bodies.positions, &bodies.velocities], 5, u32::MAX).err();
        assert!(matches!(many, Some(Error::OverLimit { .. })), "{many:?}");
        Ok(())
    })?;
    on_card(Limits::RADEON_9700, |gpu| {
        let line = refusal(Glow::new(gpu, &WHITE));
        assert!(line.contains("view/glow_shade.frag") && line.contains("the limit is 0"), "{line}");
        Ok(())
    })?;
    // It blends half floats, though not whole ones.
    on_card(Limits::GEFORCE_6800, |gpu| {
        let seen = picture(gpu, &mut Glow::new(gpu, &WHITE)?, &[at([0.0; 3])], &ABOVE)?;
        assert!(brightest(&seen) > 100);
        Ok(())
    })
}
