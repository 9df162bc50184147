//! Pictures that were looked at and kept: every constant of shading shows in one of them. A picture that has to change is written
//! beside the others by the failing test, which says where: look at it before it takes the old one's place.

use std::fs::{self, File};
use std::io::{BufReader, BufWriter};
use std::path::Path;

use quadrille::sim::fluid::{Grid, Kind};
use quadrille::sim::liquid::scenes::Start;
use quadrille::sim::liquid::{Parameters, Smoke, Water};
use quadrille::view::{
    Ball, Block, Boxes, Camera, Faces, FacesLook, FlatFluid, FluidFields, Glow, HeightField, Look, March,
    Medium, Particles, Points, Pool, Shade, Sky, SkyContent, Stage, Tint, Trail, Volume,
};
use quadrille::{Buffer, Gpu, Result};

use crate::support::{on_gpu, snap};

const WIDTH: u32 = 64;
const HEIGHT: u32 = 48;

/// Units of 255 that a pixel may be off: half floats in a canvas have 11 bits, and its last one, a rounding of the mean of
/// samples and one to 8 bits make 2 where the curve of sRGB is steepest.
const OFF: u8 = 2;

/// Pixels of a picture that may be off by more, where corners lie on 256ths of a pixel: a sample at an edge falls to one side or the other,
/// and does so the more often the coarser the places are. Mesa's and NVIDIA's have none.
const STRAY: f64 = 3.0;

/// That pictures are those of a file, one below the other.
fn check(gpu: &Gpu, name: &str, pictures: &[Vec<u8>]) -> Result<()> {
    check_but((STRAY * 256.0 * snap(gpu)) as usize, name, pictures)
}

/// The same but for so many pixels of each.
fn check_but(most: usize, name: &str, pictures: &[Vec<u8>]) -> Result<()> {
    let found = pictures.concat();
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/golden").join(name);
    let expected =
        File::open(&kept).ok().and_then(|file| read(BufReader::new(file)).ok()).unwrap_or_default();
    let size = (WIDTH * HEIGHT * 4) as usize;
    let off = |a: &[u8], b: &[u8]| a.iter().zip(b).map(|(&a, &b)| a.abs_diff(b)).max().unwrap_or(0);
    let strays: Vec<usize> = found
        .chunks(size)
        .zip(expected.chunks(size))
        .map(|(found, expected)| {
            let pixels = found.as_chunks::<4>().0.iter().zip(expected.as_chunks::<4>().0);
            pixels.filter(|(found, expected)| off(*found, *expected) > OFF).count()
        })
        .collect();
    let same = found.len() == expected.len() && strays.iter().all(|&count| count <= most);
    let seen = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let told = match same {
        true => String::new(),
        false => write(&seen, &found).map_or_else(|error| error.to_string(), |()| seen.display().to_string()),
    };
    assert!(
        same,
        "{}: pixels that are off, in each picture: {strays:?}; what was seen: {told}",
        kept.display()
    );
    Ok(())
}

fn read(file: BufReader<File>) -> std::result::Result<Vec<u8>, png::DecodingError> {
    let mut reader = png::Decoder::new(file).read_info()?;
    let mut bytes = vec![0; reader.output_buffer_size().unwrap_or(0)];
    reader.next_frame(&mut bytes)?;
    Ok(bytes)
}

fn write(path: &Path, bytes: &[u8]) -> std::result::Result<(), png::EncodingError> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    let mut encoder =
        png::Encoder::new(BufWriter::new(File::create(path)?), WIDTH, bytes.len() as u32 / (4 * WIDTH));
    encoder.set_color(png::ColorType::Rgba);
    encoder.write_header()?.write_image_data(bytes)
}

fn camera(azimuth: f32, elevation: f32, distance: f32) -> Camera {
    Camera { azimuth, elevation, distance, field_of_view: 30.0 }
}

/// Black, red, yellow, white.
fn heat() -> [[u8; 3]; 256] {
    std::array::from_fn(|i| [0, 1, 2].map(|k| (3 * i).saturating_sub(255 * k).min(255) as u8))
}

#[test]
fn boxes_look_as_they_did() -> Result<()> {
    let block = |position, orientation: [f64; 4], half_sides, colour, glow| {
        let length = orientation.iter().map(|v| v * v).sum::<f64>().sqrt();
        Block { position, orientation: orientation.map(|v| v / length), half_sides, colour, glow }
    };
    let three = [
        block([-1.6, 1.2, 0.3], [0.1, 0.3, 0.0, 1.0], [0.5, 1.2, 0.8], [0.7, 0.1, 0.1], 0.0),
        block([1.5, 0.5, 1.2], [0.0, 0.5, 0.0, 1.0], [1.2, 0.45, 0.7], [0.1, 0.6, 0.2], 1.0),
        block([0.7, 2.4, -0.8], [0.4, 0.2, 0.6, 1.0], [0.7, 1.0, 0.35], [0.2, 0.3, 0.8], 0.3),
    ];
    let one = |half_sides, turn: [f64; 4]| [block([0.0, 1.0, 0.0], turn, half_sides, [0.5, 0.4, 0.3], 0.0)];
    let room = Stage { low: [-3.0, 0.0, -3.0], high: [3.0, 4.0, 3.0], ground: Some((0.0, 1.0)) };
    let shelf = Stage { low: [-1.0, 0.0, -1.0], high: [1.0, 2.0, 1.0], ground: Some((0.0, 0.6)) };
    let turn = [0.1, 0.45, 0.05, 1.0];
    on_gpu(|gpu| {
        let mut boxes = Boxes::new(gpu)?;
        let mut picture =
            |blocks: &[Block], stage, camera| boxes.picture(blocks, stage, &camera, WIDTH, HEIGHT);
        check(
            gpu,
            "boxes.png",
            &[
                picture(&three, &room, camera(25.0, 25.0, 0.8))?,
                picture(&three, &room, camera(-140.0, 6.0, 0.9))?,
                picture(&one([0.5, 0.8, 0.7], turn), &shelf, camera(20.0, 30.0, 0.45))?,
                picture(&one([0.8, 0.45, 0.7], turn), &shelf, camera(-30.0, 40.0, 0.45))?,
                picture(&one([0.7, 0.8, 0.4], [1.0, 0.1, 0.45, 0.1]), &shelf, camera(20.0, 30.0, 0.45))?,
                picture(&one([0.2, 0.9, 0.2], [0.0, 0.0, 0.0, 1.0]), &shelf, camera(70.0, 60.0, 0.9))?,
            ],
        )
    })
}

#[test]
fn faces_look_as_they_did() -> Result<()> {
    // A saddle of 7 x 6 vertices in a buffer of 9 columns; the fourth number grows from corner to corner.
    let vertex = |i: u32, j: u32| {
        let (x, z) = (f64::from(i) / 3.0 - 1.0, f64::from(j) / 2.5 - 1.0);
        [x, 0.45 * (x * x - z * z) + 0.1 * x, z, f64::from(i * 6 + j) / 20.0].map(|v| v as f32)
    };
    let mut positions = vec![0.0; 9 * 6 * 4];
    let places: Vec<(u32, u32)> = (0..6).flat_map(|j| (0..7).map(move |i| (i + j % 2, j))).collect();
    for (n, &(column, row)) in places.iter().enumerate() {
        let at = (row * 9 + column) as usize * 4;
        positions[at..at + 4].copy_from_slice(&vertex(n as u32 % 7, n as u32 / 7));
    }
    let quads = (0..5).flat_map(|j| (0..6).map(move |i| j * 7 + i));
    let faces: Vec<[u32; 3]> = quads.flat_map(|a| [[a, a + 7, a + 1], [a + 1, a + 7, a + 8]]).collect();
    on_gpu(|gpu| {
        let positions = gpu.buffer(9, 6).components(4).init(&positions)?;
        let mut triangles = Faces::new(gpu, &faces, &places)?;
        let mut picture = |camera, wires, colours, ground| {
            let look = FacesLook {
                bounds: [[-1.0, -0.55, -1.0], [1.0, 0.55, 1.0]],
                camera,
                wires,
                colours,
                round: false,
                ground,
            };
            triangles.picture(&positions, &look, WIDTH, HEIGHT)
        };
        check(
            gpu,
            "faces.png",
            &[
                picture(camera(30.0, 40.0, 0.7), false, None, None)?,
                picture(camera(-150.0, 5.0, 0.7), false, None, None)?,
                picture(camera(-40.0, 80.0, 0.7), false, Some(0.7), None)?,
                picture(camera(100.0, 30.0, 0.6), true, Some(0.7), None)?,
                picture(camera(0.0, 60.0, 0.35), true, None, None)?,
                picture(camera(-70.0, 50.0, 0.7), false, None, None)?,
                picture(camera(30.0, 30.0, 1.0), false, None, Some(-0.56))?,
                picture(camera(-120.0, 60.0, 1.4), false, Some(0.7), Some(-0.8))?,
            ],
        )
    })
}

#[test]
fn bodies_look_as_they_did() -> Result<()> {
    // On a spiral, ever heavier and faster.
    let body = |n: u32, time: f64| {
        let (share, angle) = (f64::from(n) / 39.0, 0.5 * f64::from(n) + time);
        let place = [2.0 * share * angle.cos(), 0.6 * (0.9 * angle).sin(), 2.0 * share * angle.sin()];
        (
            [place[0], place[1], place[2], 8.0 * share * share].map(|v| v as f32),
            [0.2, 0.1, share, 0.0].map(|v| v as f32),
        )
    };
    let stage = Stage { low: [-2.0; 3], high: [2.0; 3], ground: None };
    let look = Look {
        speeds: [0.3, 0.9],
        radius: 0.25,
        growth: 1.0 / 3.0,
        least: 1.0,
        exposure: 1.0,
        haze: 0.0,
        magnitudes: 0.0,
        sun: f32::INFINITY,
    };
    on_gpu(|gpu| {
        let mut glow = Glow::new(gpu, &heat())?;
        let at = |time: f64| -> Result<[Buffer; 2]> {
            let (positions, velocities): (Vec<[f32; 4]>, Vec<[f32; 4]>) =
                (0..40).map(|n| body(n, time)).unzip();
            let array = |values: Vec<[f32; 4]>| gpu.array(40).components(4).init(&values.concat());
            Ok([array(positions)?, array(velocities)?])
        };
        let [positions, velocities] = at(0.0)?;
        let points = Points { positions: &positions, velocities: &velocities, trail: None };
        let mut trail = Trail::new(gpu, [&positions, &velocities], 40, 5)?;
        for time in 0..7 {
            let [positions, velocities] = at(0.12 * f64::from(time))?;
            trail.keep(&positions, &velocities)?;
        }
        let followed = Points { trail: Some(&trail), ..points };
        let mut picture =
            |points, look: &Look, camera| glow.picture(points, look, (&stage, &camera), (WIDTH, HEIGHT));
        check(
            gpu,
            "bodies.png",
            &[
                picture(points, &look, camera(25.0, 35.0, 0.8))?,
                picture(points, &Look { growth: 0.6, exposure: 6.0, ..look }, camera(-70.0, 10.0, 0.3))?,
                picture(
                    points,
                    &Look { radius: 0.02, least: 1.5, exposure: 0.3, ..look },
                    camera(0.0, 90.0, 0.9),
                )?,
                picture(
                    followed,
                    &Look { speeds: [0.9, 0.2], exposure: 30.0, ..look },
                    camera(60.0, 60.0, 0.7),
                )?,
                picture(
                    points,
                    &Look { radius: 0.02, least: 1.5, exposure: 20.0, haze: 0.02, magnitudes: 4.0, ..look },
                    camera(25.0, 50.0, 0.6),
                )?,
            ],
        )
    })
}

/// The buffers of a fluid in a box of 8 x 6 cells.
struct Tank {
    grid: Grid,
    velocity: Buffer,
    solids: Buffer,
    field: Buffer,
}

impl Tank {
    fn new(gpu: &Gpu, kind: Kind, periodic: [bool; 2]) -> Result<Tank> {
        let grid = Grid { kind, cells: [8, 6], spacing: 0.25, periodic };
        let places = |[width, height]: [u32; 2]| {
            (0..height).flat_map(move |j| (0..width).map(move |i| [f64::from(i), f64::from(j)]))
        };
        let flow =
            |[x, y]: [f64; 2]| [(0.7 * y + 0.2 * x).sin(), 0.8 * (0.5 * x - 0.4 * y).cos()].map(|v| v as f32);
        let solid = |[x, y]: [f64; 2]| f32::from(u8::from((x - 5.0).hypot(y - 3.0) < 1.2));
        let field = |[x, y]: [f64; 2]| {
            let number = if x == 1.0 && y == 4.0 { f64::NAN } else { (0.8 * x - 0.3 * y).sin() };
            [0.25 * x, 0.3 + 0.1 * y * y, 0.05 * x * y, number].map(|v| v as f32)
        };
        let velocity: Vec<f32> = places(grid.nodes()).flat_map(flow).collect();
        let solids: Vec<f32> = places(grid.centres()).map(solid).collect();
        let field: Vec<f32> = places(grid.centres()).flat_map(field).collect();
        Ok(Tank {
            grid,
            velocity: grid.velocity(gpu).init(&velocity)?,
            solids: grid.scalar(gpu, 1).init(&solids)?,
            field: grid.scalar(gpu, 4).init(&field)?,
        })
    }

    fn basin<'a>(&'a self, shade: Shade<'a>, particles: Option<Particles<'a>>) -> FluidFields<'a> {
        FluidFields { grid: self.grid, velocity: &self.velocity, solids: &self.solids, shade, particles }
    }
}

#[test]
fn fluids_look_as_they_did() -> Result<()> {
    on_gpu(|gpu| {
        let mut flat = FlatFluid::new(gpu, &heat())?;
        flat.set_particle_colours(&std::array::from_fn(|i| [i as u8, 80, 255 - i as u8]))?;
        // Neighbouring colours differ: of whole numbers of particles none lies half-way between two.
        let mut numbered = FlatFluid::new(gpu, &heat())?;
        numbered
            .set_particle_colours(&std::array::from_fn(|i| [i as u8, (i % 2 * 200) as u8, 255 - i as u8]))?;
        let closed = Tank::new(gpu, Kind::Staggered, [false; 2])?;
        let round = Tank::new(gpu, Kind::Staggered, [true, false])?;
        let nodes = Tank::new(gpu, Kind::Collocated, [false; 2])?;
        let all_round = Tank::new(gpu, Kind::Collocated, [true; 2])?;
        let crowd = |count: u32, side: f64| -> Result<Buffer> {
            // Denser and denser to the north-east; some outside.
            let place = |n: u32| {
                let [i, j] = [0.618, 0.7549].map(|step| (f64::from(n) * step).fract().powf(side));
                [2.1 * i, 1.6 * j, 0.0, f64::from(n)].map(|v| v as f32)
            };
            gpu.array(count as usize).components(4).init(&(0..count).flat_map(place).collect::<Vec<_>>())
        };
        let (few, many) = (crowd(37, 1.0)?, crowd(4000, 0.3)?);
        let of = |positions, tint| Some(Particles { positions, past: &[], tint });
        let mut picture = |basin: FluidFields| flat.picture(&basin, (WIDTH, HEIGHT));
        let scalar = |field, component, ends| Shade::Scalar { field, component, ends };
        check(
            gpu,
            "fluids.png",
            &[
                picture(closed.basin(Shade::Dye(&closed.field), None))?,
                picture(round.basin(scalar(&round.field, 3, [-0.8, 0.9]), None))?,
                picture(nodes.basin(scalar(&nodes.field, 1, [0.2, 2.5]), None))?,
                picture(closed.basin(Shade::Speed(1.2), None))?,
                picture(round.basin(Shade::Speed(1.2), None))?,
                picture(round.basin(Shade::Divergence(3.0), None))?,
                picture(all_round.basin(Shade::Divergence(3.0), None))?,
                numbered.picture(&nodes.basin(Shade::Speed(0.9), of(&few, Tint::Number)), (WIDTH, HEIGHT))?,
                picture(closed.basin(Shade::Dark, of(&many, Tint::Speed(1.0))))?,
                picture(round.basin(Shade::Dye(&round.field), of(&many, Tint::Number)))?,
            ],
        )
    })
}

#[test]
fn heights_look_as_they_did() -> Result<()> {
    let surface = |columns: u32, rows: u32, height: fn(f64, f64) -> f64| -> Vec<f32> {
        let cells = (0..rows).flat_map(|j| (0..columns).map(move |i| (f64::from(i), f64::from(j))));
        cells.map(|(x, y)| height(x, y) as f32).collect()
    };
    on_gpu(|gpu| {
        let mut field = HeightField::new(gpu)?;
        let waves =
            gpu.buffer(25, 19).init(&surface(25, 19, |x, y| (0.6 * x).sin() * (0.5 * y + 0.3 * x).cos()))?;
        let marked = surface(21, 30, |x, y| {
            if (x, y) == (5.0, 20.0) {
                1e3
            } else if x == 14.0 && y == 11.0 {
                f64::NAN
            } else {
                0.05 * (x - y) + 0.4 * x.cos()
            }
        });
        let marked = gpu.buffer(21, 30).init(&marked)?;
        let bowl = gpu
            .buffer(70, 53)
            .init(&surface(70, 53, |x, y| 4e-4 * ((x - 30.0).powi(2) + 2.0 * (y - 20.0).powi(2)) - 0.4))?;
        let mut picture = |mesh, heights, camera| {
            field.set_mesh(mesh);
            field.picture(heights, &camera, WIDTH, HEIGHT)
        };
        check(
            gpu,
            "heights.png",
            &[
                picture(512, &waves, camera(25.0, 35.0, 0.9))?,
                picture(512, &waves, camera(123.0, 25.0, 0.5))?,
                picture(512, &marked, camera(-60.0, 50.0, 0.9))?,
                picture(10, &bowl, camera(123.0, 33.0, 0.8))?,
                picture(512, &bowl, camera(140.0, 20.0, 0.9))?,
                picture(512, &waves, camera(0.0, 90.0, 0.6))?,
            ],
        )
    })
}

#[test]
fn pools_look_as_they_did() -> Result<()> {
    let surface = |columns: u32, rows: u32, height: fn(f64, f64) -> f64| -> Vec<f32> {
        let cells = (0..rows).flat_map(|j| (0..columns).map(move |i| (f64::from(i), f64::from(j))));
        cells.map(|(x, y)| height(x, y) as f32).collect()
    };
    on_gpu(|gpu| {
        let mut pool = Pool::new(gpu)?;
        let waves = surface(40, 40, |x, y| 0.12 * (0.4 * x).sin() * (0.3 * y + 0.2 * x).cos());
        let waves = gpu.buffer(40, 40).init(&waves)?;
        let bowl = surface(70, 33, |x, y| 4e-4 * ((x - 30.0).powi(2) + 2.0 * (y - 20.0).powi(2)) - 0.4);
        let bowl = gpu.buffer(70, 33).init(&bowl)?;
        let ball = |x, y, radius| Some(Ball { place: [x, y], radius });
        let mut picture = |heights, ball, camera| pool.picture(heights, ball, &camera, (WIDTH, HEIGHT));
        // Slivers of light are added up where they fold: the driver decides which of their samples they cover. An H200 has up to 59,
        // and SwiftShader, whose places are coarser, 141.
        let strays = match gpu.driver() {
            driver if driver.renderer.contains("llvmpipe") => 3,
            driver if driver.renderer.contains("SwiftShader") => 160,
            _ => 80,
        };
        check_but(
            strays,
            "pools.png",
            &[
                picture(&waves, ball(28.0, 25.0, 4.0), camera(25.0, 35.0, 0.8))?,
                picture(&waves, None, camera(0.0, 90.0, 0.5))?,
                picture(&waves, ball(12.0, 15.0, 6.0), camera(-70.0, 12.0, 0.6))?,
                picture(&bowl, ball(50.0, 16.0, 5.0), camera(160.0, 30.0, 0.5))?,
                picture(&bowl, ball(20.0, 12.0, 9.0), camera(50.0, 70.0, 0.35))?,
            ],
        )
    })
}

#[test]
fn skies_look_as_they_did() -> Result<()> {
    on_gpu(|gpu| {
        let mut sky = Sky::new(gpu)?;
        let mut picture = |periodic, height, cloud: fn(f64, f64) -> f64| -> Result<Vec<u8>> {
            let cells = (0..24).flat_map(|j| (0..32).map(move |i| (f64::from(i), f64::from(j))));
            let air: Vec<f32> = cells.flat_map(|(x, y)| [0.0, 0.01, cloud(x, y) as f32, 0.0]).collect();
            let air = gpu.buffer(32, 24).components(4).init(&air)?;
            let grid =
                Grid { kind: Kind::Staggered, cells: [32, 24], spacing: 50.0, periodic: [periodic, false] };
            let (hour, level) = if periodic { (15.0, Some(8.5)) } else { (7.5, None) };
            sky.picture(
                SkyContent { hour, level, line: level, ..SkyContent::whole(grid, &air) },
                (WIDTH, height),
            )
        };
        // The hills are a few hundredths of the box: ten times as high, and of that the lowest tenth.
        let hills = picture(true, 10 * HEIGHT, |_, _| 0.0)?.split_off((9 * HEIGHT * WIDTH * 4) as usize);
        check(
            gpu,
            "skies.png",
            &[
                picture(true, HEIGHT, |x, y| {
                    6e-4 * (1.0 - ((x - 28.0).hypot(1.5 * (y - 13.0)) / 7.0)).max(0.0)
                })?,
                picture(false, HEIGHT, |x, y| {
                    if (4.0..16.0).contains(&x) && (8.0..19.0).contains(&y) { 3e-4 } else { 0.0 }
                })?,
                picture(true, HEIGHT, |x, y| 1.2e-4 * (0.4 * x).sin().max(0.0) * (0.5 * y).cos().max(0.0))?,
                picture(false, HEIGHT, |_, y| if y > 20.0 { 1e-4 } else { 0.0 })?,
                hills,
            ],
        )
    })
}

#[test]
fn volumes_look_as_they_did() -> Result<()> {
    // A pool with waves, and a ball over it.
    let pool = |size: [u32; 3], level: f64| {
        Start::liquid(size, move |[x, y, z]| {
            let ball = ((x - 4.0).powi(2) + (y - 3.5).powi(2) + (z - level - 3.0).powi(2)).sqrt() - 2.2;
            (z - level - 0.5 * (0.8 * x + 0.3 * y).sin()).min(ball)
        })
    };
    let puff = |size: [u32; 3]| {
        Start::smoke(size, move |[x, y, z]| {
            (1.2 - ((x - 3.0).powi(2) + (y - 4.0).powi(2) + 0.5 * (z - 4.0).powi(2)).sqrt() / 4.0)
                .clamp(0.0, 1.0)
        })
    };
    on_gpu(|gpu| {
        let (mut march, mut far_march) = (March::new(gpu)?, March::new(gpu)?);
        let mut water = |size, level, camera| -> Result<Vec<u8>> {
            let water = Water::new(gpu, &pool(size, level), Parameters::default())?;
            let volume = Volume {
                voxels: water.flow().voxels(),
                field: water.distance(),
                matter: Medium::Water,
                heat: None,
            };
            march.picture(volume, &camera, (WIDTH, HEIGHT))
        };
        let mut pictures = vec![
            water([14, 10, 8], 2.5, camera(25.0, 35.0, 0.9))?,
            water([8, 13, 7], 2.0, camera(-120.0, 15.0, 0.8))?,
            water([7, 9, 15], 6.0, camera(70.0, 55.0, 0.8))?,
            water([14, 10, 8], 7.0, camera(200.0, 30.0, 0.25))?,
            water([14, 10, 8], 4.0, camera(233.0, 22.0, 0.5))?,
        ];
        // Far away in a box of more voxels than a ray has steps of two.
        let far = Water::new(gpu, &Start::liquid([20, 600, 8], |[_, y, _]| y - 50.0), Parameters::default())?;
        let volume =
            Volume { voxels: far.flow().voxels(), field: far.distance(), matter: Medium::Water, heat: None };
        let along = Camera { field_of_view: 1.0, ..camera(0.0, 1.0, 0.1) };
        pictures.push(far_march.picture(volume, &along, (WIDTH, HEIGHT))?);
        let mut smoke = |size, camera| -> Result<Vec<u8>> {
            let smoke = Smoke::new(gpu, &puff(size), Parameters::default())?;
            let volume = Volume {
                voxels: smoke.flow().voxels(),
                field: smoke.density(),
                matter: Medium::Smoke,
                heat: None,
            };
            march.picture(volume, &camera, (WIDTH, HEIGHT))
        };
        pictures.extend([
            smoke([12, 9, 10], camera(25.0, 35.0, 0.9))?,
            smoke([7, 12, 9], camera(-60.0, 12.0, 0.7))?,
            smoke([6, 7, 14], camera(110.0, 60.0, 0.8))?,
            smoke([5, 8, 30], camera(-30.0, 20.0, 0.6))?,
        ]);
        check(gpu, "volumes.png", &pictures)
    })
}
