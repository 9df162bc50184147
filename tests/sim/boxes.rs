//! Boxes on a ground: which pixels they cover, what hides what, where the light comes from, and what it leaves dark.

use quadrille::view::{Block, Boxes, Camera, Lens, Stage, nearest};
use quadrille::{Gpu, Limits, Result};

use crate::support::{Random, on_card, on_gpu, refusal};
use crate::{check_in_its_place, pixels};

const WIDTH: u32 = 180;
const HEIGHT: u32 = 140;

const STAGE: Stage = Stage { low: [-3.0, 0.0, -3.0], high: [3.0, 4.0, 3.0], ground: None };

/// Red, green, blue.
const COLOURS: [[f32; 3]; 3] = [[0.7, 0.02, 0.02], [0.02, 0.7, 0.02], [0.02, 0.02, 0.7]];

const CAMERAS: [[f32; 4]; 6] = [
    [25.0, 35.0, 1.0, 30.0],
    [0.0, 5.0, 1.0, 45.0],
    [-130.0, 10.0, 0.6, 60.0],
    [90.0, 60.0, 2.0, 20.0],
    [0.0, 90.0, 1.0, 30.0],
    [200.0, 15.0, 0.8, 50.0],
];

fn cameras() -> impl Iterator<Item = Camera> {
    CAMERAS.into_iter().map(|[azimuth, elevation, distance, field_of_view]| Camera {
        azimuth,
        elevation,
        distance,
        field_of_view,
    })
}

fn block(position: [f64; 3], half_sides: [f64; 3], colour: [f32; 3]) -> Block {
    Block { position, orientation: [0.0, 0.0, 0.0, 1.0], half_sides, colour, glow: 0.0 }
}

/// Boxes of all sizes and turns anywhere on the stage, red, green and blue in turn.
fn heap(seed: u64, count: usize) -> Vec<Block> {
    let mut random = Random(seed);
    let any = |random: &mut Random| f64::from(random.signed());
    let one = |i: usize| {
        let quaternion: [f64; 4] = std::array::from_fn(|_| any(&mut random));
        let length = quaternion.iter().map(|v| v * v).sum::<f64>().sqrt();
        Block {
            position: [2.5 * any(&mut random), 2.0 + 1.5 * any(&mut random), 2.5 * any(&mut random)],
            orientation: quaternion.map(|v| v / length),
            half_sides: std::array::from_fn(|_| 0.6 + 0.3 * any(&mut random)),
            colour: COLOURS[i % 3],
            glow: 0.0,
        }
    };
    (0..count).map(one).collect()
}

fn lens(stage: &Stage, camera: &Camera) -> Result<Lens> {
    stage.lens(camera, f64::from(WIDTH) / f64::from(HEIGHT))
}

fn picture(boxes: &mut Boxes, blocks: &[Block], stage: &Stage, camera: &Camera) -> Result<Vec<[u8; 4]>> {
    Ok(pixels(&boxes.picture(blocks, stage, camera, WIDTH, HEIGHT)?))
}

/// The pixel of a place in the world.
fn at(seen: &[[u8; 4]], lens: &Lens, place: [f64; 3]) -> [u8; 4] {
    let [x, y] = lens.picture_of(place);
    seen[(y * f64::from(HEIGHT)) as usize * WIDTH as usize + (x * f64::from(WIDTH)) as usize]
}

fn brightness([r, g, b, _]: [u8; 4]) -> u32 {
    u32::from(r) + u32::from(g) + u32::from(b)
}

/// The box that is seen at each of four places around the middle of a pixel, so many pixels away from it.
fn seen_around(blocks: &[Block], lens: &Lens, pixel: usize, away: f64) -> [Option<usize>; 4] {
    let (x, y) = ((pixel % WIDTH as usize) as f64 + 0.5, (pixel / WIDTH as usize) as f64 + 0.5);
    [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]].map(|[across, down]| {
        let place = [(x + away * across) / f64::from(WIDTH), (y + away * down) / f64::from(HEIGHT)];
        nearest(blocks, &lens.ray(place)).map(|hit| hit.0)
    })
}

#[test]
fn boxes_cover_the_pixels_whose_rays_meet_them_and_nearer_ones_hide_farther_ones() -> Result<()> {
    on_gpu(|gpu| {
        let mut boxes = Boxes::new(gpu)?;
        for (seed, camera) in (1..).zip(cameras()) {
            let (blocks, lens) = (heap(seed, 24), lens(&STAGE, &camera)?);
            let backdrop = picture(&mut boxes, &[], &STAGE, &camera)?;
            let seen = picture(&mut boxes, &blocks, &STAGE, &camera)?;
            let (mut sure, mut empty) = ([0; 3], 0);
            for (i, pixel) in seen.iter().enumerate() {
                // The samples of a pixel lie a quarter of it away from its middle; what all four see, and the corners
                // do too, leaves no doubt, unless something smaller than a pixel shows between them.
                let around =
                    [seen_around(&blocks, &lens, i, 0.5), seen_around(&blocks, &lens, i, 0.25)].concat();
                let [first, rest @ ..] = &around[..] else { continue };
                if !rest.iter().all(|other| other == first) {
                    continue;
                }
                match first {
                    Some(block) => {
                        let own = block % 3;
                        let others = [pixel[(own + 1) % 3], pixel[(own + 2) % 3]];
                        assert!(pixel[own] > others[0] && pixel[own] > others[1], "{pixel:?} {i} {camera:?}");
                        sure[own] += 1;
                    }
                    None => {
                        assert_eq!(*pixel, backdrop[i], "pixel {i} {camera:?}");
                        empty += 1;
                    }
                }
            }
            assert!(
                sure.iter().all(|&n| n > 100) && sure.iter().sum::<i32>() + empty > 15_000,
                "{sure:?} {empty}"
            );
        }
        Ok(())
    })
}

#[test]
fn x_goes_to_the_right_y_up_and_z_towards_the_viewer() -> Result<()> {
    on_gpu(|gpu| {
        let mut boxes = Boxes::new(gpu)?;
        let camera = Camera { azimuth: 0.0, elevation: 20.0, ..Camera::default() };
        let middle = |boxes: &mut Boxes, place: [f64; 3]| -> Result<[f64; 3]> {
            let seen = picture(boxes, &[block(place, [0.4; 3], COLOURS[0])], &STAGE, &camera)?;
            let red = (0..seen.len()).filter(|&i| seen[i][0] > seen[i][2] + 30);
            let places: Vec<usize> = red.collect();
            let mean = |of: fn(usize) -> usize| {
                places.iter().map(|&i| of(i) as f64).sum::<f64>() / places.len() as f64
            };
            Ok([mean(|i| i % WIDTH as usize), mean(|i| i / WIDTH as usize), places.len() as f64])
        };
        let [x, y, size] = middle(&mut boxes, [0.0, 2.0, 0.0])?;
        let [right, ..] = middle(&mut boxes, [2.0, 2.0, 0.0])?;
        let [_, up, _] = middle(&mut boxes, [0.0, 3.0, 0.0])?;
        let [_, near, larger] = middle(&mut boxes, [0.0, 2.0, 2.0])?;
        assert!(
            right > x + 20.0 && up < y - 10.0 && near > y && larger > 1.2 * size,
            "{x} {right} {y} {up} {near}"
        );
        Ok(())
    })
}

#[test]
fn the_sides_towards_the_light_are_lighter() -> Result<()> {
    on_gpu(|gpu| {
        let mut boxes = Boxes::new(gpu)?;
        let one = [block([0.0, 2.0, 0.0], [1.0; 3], [0.4; 3])];
        let look = |boxes: &mut Boxes, azimuth: f32, places: [[f64; 3]; 3]| -> Result<[u32; 3]> {
            let camera = Camera { azimuth, elevation: 30.0, ..Camera::default() };
            let (seen, lens) = (picture(boxes, &one, &STAGE, &camera)?, lens(&STAGE, &camera)?);
            Ok(places.map(|place| brightness(at(&seen, &lens, place))))
        };
        let (top, front, right) = ([0.0, 3.0, 0.0], [0.0, 2.0, 1.0], [1.0, 2.0, 0.0]);
        let [up, before, away] = look(&mut boxes, 45.0, [top, front, right])?;
        assert!(up > before + 30 && before > away + 60, "{up} {before} {away}");
        // From the other side: the left is lit, the back is not.
        let [up, left, back] = look(&mut boxes, -135.0, [top, [-1.0, 2.0, 0.0], [0.0, 2.0, -1.0]])?;
        assert!(up > back + 60 && left > back + 60, "{up} {left} {back}");
        Ok(())
    })
}

/// A cube is the same cube after each of the twelve turns of a tetrahedron, whose quaternions round little: nothing but 0, 1/2 and 1.
/// So corners and silhouettes are the same to a rounding, and what is interpolated between them to two units of 255. Where two
/// rounded edges meet the face changes from one to the other, at a sample here and there by a rounding: at none with Mesa.
#[test]
fn a_cube_looks_the_same_whichever_of_its_sides_is_which() -> Result<()> {
    let halves = (0..16).map(|signs| [0, 1, 2, 3].map(|k| if signs >> k & 1 == 1 { 0.5 } else { -0.5 }));
    let half_turns = (0..4).map(|axis| [0, 1, 2, 3].map(|k| f64::from(u8::from(k == axis))));
    let turns: Vec<[f64; 4]> = half_turns.chain(halves.filter(|turn| turn[3] > 0.0)).collect();
    let stage = Stage { low: [-1.0; 3], high: [1.0; 3], ground: None };
    on_gpu(|gpu| {
        let mut boxes = Boxes::new(gpu)?;
        let camera = Camera { azimuth: 50.0, elevation: 25.0, distance: 0.7, ..Camera::default() };
        let mut look = |orientation| {
            let one = Block { orientation, ..block([0.0; 3], [0.9; 3], [0.4; 3]) };
            picture(&mut boxes, &[one], &stage, &camera)
        };
        let expected = look([0.0, 0.0, 0.0, 1.0])?;
        for turn in turns {
            let off = |(a, b): (&[u8; 4], &[u8; 4])| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > 2);
            let differ = look(turn)?.iter().zip(&expected).filter(|&pair| off(pair)).count();
            assert!(differ <= 3, "{differ} pixels of {turn:?}");
        }
        Ok(())
    })
}

#[test]
fn boxes_throw_shadows_on_the_ground_and_on_one_another_and_none_on_themselves() -> Result<()> {
    on_gpu(|gpu| {
        let mut boxes = Boxes::new(gpu)?;
        let stage = Stage { ground: Some((0.0, 1.0)), ..STAGE };
        let camera = Camera { azimuth: 20.0, elevation: 60.0, ..Camera::default() };
        let lens = lens(&stage, &camera)?;
        // The light comes from the left, from above and from the front.
        let caster = block([-1.0, 1.5, 0.0], [0.5, 1.5, 0.5], [0.4; 3]);
        let catcher = block([1.25, 0.5, -0.5], [0.4, 0.4, 0.6], [0.4; 3]);
        let (dark, bright) = ([0.2, 0.0, -0.9], [-2.4, 0.0, 0.2]);
        let alone = picture(&mut boxes, &[catcher], &stage, &camera)?;
        let both = picture(&mut boxes, &[caster, catcher], &stage, &camera)?;
        let change = |place| {
            let [before, after] = [&alone, &both].map(|seen| brightness(at(seen, &lens, place)));
            f64::from(after) / f64::from(before)
        };
        assert!(
            change(dark) < 0.8 && change([1.1, 0.9, -0.6]) < 0.8,
            "{} {}",
            change(dark),
            change([1.1, 0.9, -0.6])
        );
        // Some of the sky is hidden there, and none of the sun.
        assert!((0.95..=1.0).contains(&change(bright)), "{}", change(bright));
        // A lit face is evenly lit: nothing of it lies in a shadow of its own.
        let close = Camera { azimuth: -40.0, elevation: 35.0, distance: 0.5, ..camera };
        let (seen, lens) =
            (picture(&mut boxes, &[caster], &stage, &close)?, stage.lens(&close, 180.0 / 140.0)?);
        let face: Vec<u32> = (0..=20)
            .flat_map(|i| {
                (0..=20).map(move |j| [-1.5, 0.4 + f64::from(i) * 0.11, -0.35 + f64::from(j) * 0.035])
            })
            .filter(|&place| lens.picture_of(place).iter().all(|v| (0.0..1.0).contains(v)))
            .map(|place| brightness(at(&seen, &lens, place)))
            .collect();
        let (least, most) = (face.iter().min(), face.iter().max());
        // Rings of the wood are a sixth of that; a shadow would be half.
        assert!(face.len() > 100 && least.zip(most).is_some_and(|(l, m)| m - l <= 90), "{least:?} {most:?}");
        Ok(())
    })
}

/// A box hides a part of the sky from all that is near it, even where the sun shines: the more the nearer, and none of it far away.
#[test]
fn what_lies_beside_a_box_is_darker_though_the_sun_shines_there() -> Result<()> {
    on_gpu(|gpu| {
        let mut boxes = Boxes::new(gpu)?;
        let stage = Stage { ground: Some((0.0, 1.0)), ..STAGE };
        let camera = Camera { azimuth: -50.0, elevation: 50.0, ..Camera::default() };
        let lens = lens(&stage, &camera)?;
        let tower = block([0.0, 1.5, 0.0], [0.6, 1.5, 0.6], [0.4; 3]);
        let low = block([-1.0, 0.15, 0.5], [0.4, 0.15, 0.4], [0.4; 3]);
        let of = |seen: &[[u8; 4]], place| f64::from(brightness(at(seen, &lens, place)));
        let (bare, with) =
            (picture(&mut boxes, &[], &stage, &camera)?, picture(&mut boxes, &[tower], &stage, &camera)?);
        // The light comes from the left and from the front, so it is not shade that these have: lines of the grid are left out.
        let ways = [0.75, 1.3, 2.4].map(|away| [-away, 0.0, 0.25]);
        let [near, middle, far] = ways.map(|place| of(&with, place) / of(&bare, place));
        assert!(near < 0.97 && middle > near + 0.005 && far > middle, "{near} {middle} {far}");
        let (alone, beside) = (
            picture(&mut boxes, &[low], &stage, &camera)?,
            picture(&mut boxes, &[low, tower], &stage, &camera)?,
        );
        let top = [-0.75, 0.3, 0.45];
        assert!(of(&beside, top) < 0.98 * of(&alone, top), "{} {}", of(&beside, top), of(&alone, top));
        Ok(())
    })
}

/// Ways from the sky lie in tiles beside each other: what has flown out of one hides nothing in the next, in whose middle it would be.
#[test]
fn what_has_flown_far_away_hides_no_sky() -> Result<()> {
    on_gpu(|gpu| {
        let mut boxes = Boxes::new(gpu)?;
        let stage = Stage { ground: Some((0.0, 1.0)), ..STAGE };
        let camera = Camera { azimuth: 20.0, elevation: 60.0, ..Camera::default() };
        let lens = lens(&stage, &camera)?;
        let near = block([0.0, 1.0, 0.0], [0.5, 1.0, 0.5], [0.4; 3]);
        let places: Vec<[f64; 3]> =
            (0..441).map(|i| [f64::from(i % 21 - 10) * 0.3, 0.0, f64::from(i / 21 - 10) * 0.3]).collect();
        let mut expected: Option<Vec<[u8; 4]>> = None;
        for turn in 0..48 {
            let (x, z) = (f64::from(turn) * 0.1309).sin_cos();
            // A tile reaches 4 to 5 radii of the stage to each side.
            let lost = block([45.0 * x, 3.0, 45.0 * z], [6.0; 3], [0.4; 3]);
            let seen = picture(&mut boxes, &[near, lost], &stage, &camera)?;
            let seen: Vec<[u8; 4]> = places.iter().map(|&place| at(&seen, &lens, place)).collect();
            let known = expected.get_or_insert_with(|| seen.clone());
            let off = seen.iter().zip(known.iter()).filter(|(a, b)| a != b).count();
            assert_eq!(off, 0, "{turn}");
        }
        Ok(())
    })
}

/// As with all pictures: OpenGL's row 0 of a framebuffer is the lowest on a screen, a file's is the upper one.
#[test]
fn a_framebuffer_gets_the_picture_upside_down_in_its_place_alone() -> Result<()> {
    on_gpu(|gpu| {
        let mut boxes = Boxes::new(gpu)?;
        let (blocks, stage) = (heap(7, 12), Stage { ground: Some((0.0, 1.0)), ..STAGE });
        let camera = Camera::default();
        let expected = picture(&mut boxes, &blocks, &stage, &camera)?;
        check_in_its_place(gpu, &expected, (WIDTH, HEIGHT), |framebuffer, place| {
            boxes.draw(&blocks, &stage, &camera, Some(framebuffer), place)
        })
    })
}

#[test]
fn boxes_that_are_nowhere_or_far_away_are_not_seen_and_harm_nothing() -> Result<()> {
    on_gpu(|gpu| {
        let mut boxes = Boxes::new(gpu)?;
        let stage = Stage { ground: Some((0.0, 1.0)), ..STAGE };
        let camera = Camera::default();
        let one = block([0.0, 0.5, 0.0], [0.5; 3], COLOURS[1]);
        let expected = picture(&mut boxes, &[one], &stage, &camera)?;
        for far in [f64::NAN, f64::INFINITY, 1e30, -1e300] {
            let lost = Block { position: [far, 0.5, 0.0], ..one };
            let seen = picture(&mut boxes, &[lost, one], &stage, &camera)?;
            let lens = lens(&stage, &camera)?;
            assert_eq!(at(&seen, &lens, [0.0, 0.5, 0.5]), at(&expected, &lens, [0.0, 0.5, 0.5]), "{far}");
            assert_eq!(seen[0], expected[0], "{far}");
        }
        Ok(())
    })
}

#[test]
fn a_picture_costs_seven_passes_and_one_upload_and_leaves_nothing() -> Result<()> {
    on_gpu(|gpu| {
        let mut boxes = Boxes::new(gpu)?;
        let stage = Stage { ground: Some((0.0, 1.0)), ..STAGE };
        let draw = |boxes: &mut Boxes, gpu: &Gpu, seed: u64, count: usize| -> Result<(u64, u64)> {
            let before = gpu.counters();
            picture(boxes, &heap(seed, count), &stage, &Camera::default())?;
            Ok((gpu.counters().passes - before.passes, gpu.counters().uploads - before.uploads))
        };
        draw(&mut boxes, gpu, 1, 60)?;
        let live = gpu.counters().live;
        for seed in 2..5 {
            assert_eq!(draw(&mut boxes, gpu, seed, 60)?, (7, 1));
        }
        draw(&mut boxes, gpu, 5, 7)?;
        assert_eq!(gpu.counters().live, live);
        Ok(())
    })
}

#[test]
fn bad_cameras_and_cards_that_fetch_nothing_in_vertex_programs_are_refused_in_words() -> Result<()> {
    on_gpu(|gpu| {
        let mut boxes = Boxes::new(gpu)?;
        let camera = Camera { distance: f32::NAN, ..Camera::default() };
        assert_eq!(refusal(boxes.picture(&[], &STAGE, &camera, 8, 8)), "distance = NaN: expected 0.1 to 100");
        Ok(())
    })?;
    on_card(Limits::RADEON_9700, |gpu| {
        let line = refusal(Boxes::new(gpu));
        assert!(
            line.contains("view/box_shade.frag") && line.contains("vertex kernel is 1, the limit is 0"),
            "{line}"
        );
        Ok(())
    })?;
    on_card(Limits::GEFORCE_6800, |gpu| {
        picture(&mut Boxes::new(gpu)?, &heap(3, 20), &STAGE, &Camera::default()).map(|_| ())
    })
}
