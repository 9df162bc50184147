//! Light on the pool's floor, and where its walls and deck lie: triangles, each pixel against those that cover it.

use quadrille::gl::Kernel;
use quadrille::{Gpu, Result, kernels};

use super::raster::{Corner, Triangle, area};
use super::vec3::{NEAR, UP, Vec3};
use super::{Pixel, Rounding, U, check, smoothstep, untouched, wide};
use crate::support::{Random, on_gpu, snap};

const TARGET: [u32; 2] = [47, 31];

/// Relative error of an area by derivatives: they are differences of numbers with 24 bits that are a hundredth of them apart, at places with 8 bits
/// behind the point.
const DERIVED: f64 = 1.0 / 4096.0;

/// Nodes of the surface; every second one is a vertex of light, and the last.
const NODES: [u32; 2] = [6, 8];
const COLUMNS: usize = 3;
const ROWS: usize = 4;

struct Scene {
    nodes: Vec<[f32; 4]>,
    ball: [f32; 4],
    sun: [f32; 3],
    half: [f32; 2],
    cell: f32,
    depth: f32,
    relief: f32,
    /// World area of a texel: that of the map, or less, so that no beam is as bright as it would be.
    texel: f32,
}

/// A corner of light: where the ray would meet the water at rest, where it meets it, and how it goes on.
type Ray = Corner<8>;

impl Scene {
    fn new(seed: u64, sun: Vec3, steep: f32, ball: [f32; 4], (depth, part): (f32, f32)) -> Scene {
        let mut random = Random(seed);
        let mut around = |most: f32| most * (2.0 * random.unit() - 1.0);
        let nodes = (0..NODES[0] * NODES[1]).map(|i| {
            // Stone breaks no light; a thousandth of it is none.
            let wild = [0.0, -7.5e-4, 0.0, 1.0, -2e-3, 0.0, -1.0][i as usize % 7];
            let height = if i % 5 == 0 { around(3.0) } else { around(0.1) };
            [height, around(steep), around(steep), wild]
        });
        let (half, map) = ([0.23, 0.34], TARGET.map(|side| side as f32));
        Scene {
            nodes: nodes.collect(),
            ball,
            sun: sun.unit().to_f32(),
            half,
            cell: 0.05,
            depth,
            relief: 0.3,
            texel: part * 4.0 * half[0] * half[1] / (map[0] * map[1]),
        }
    }

    fn ray(&self, rounding: &Rounding, snap: f64, column: usize, row: usize) -> Ray {
        let sun = Vec3::of(self.sun);
        let [half_x, half_z] = self.half.map(f64::from);
        let (cell, depth, relief) = (f64::from(self.cell), f64::from(self.depth), f64::from(self.relief));
        let node = [(2 * column).min(NODES[0] as usize - 1), (2 * row).min(NODES[1] as usize - 1)];
        let [height, across, up, wild] = wide(self.nodes[node[1] * NODES[0] as usize + node[0]]);
        let place = |node: usize, half: f64| (2.0 * cell * node as f64).min(2.0 * half) - half;
        let y = (relief * height).clamp(-0.9 * depth, depth);
        let met = Vec3(place(node[0], half_x), y, place(node[1], half_z)).off(rounding, NEAR);
        let steep = if wild >= -1e-3 { relief / cell } else { 0.0 };
        let normal = Vec3(-steep * across, 1.0, -steep * up).unit().off(rounding, NEAR);
        let (beam, still) = ((-sun).broken(normal, 0.75), (-sun).broken(UP, 0.75));
        let to_rest = met - sun * (met.1 / sun.1);
        // The light that still water would move is left out.
        let down = (met.1 + depth) / (-beam.1).max(0.05);
        let floor = met + beam * down - still * (depth / -still.1);
        Corner {
            clip: [floor.0 / half_x, floor.2 / half_z, 0.0, 1.0],
            numbers: [to_rest.0, to_rest.2, met.0, met.1, met.2, beam.0, beam.1, beam.2],
        }
        .snapped(rounding, TARGET, snap)
    }

    /// How far the ball's middle is from a line, in radii.
    fn past(&self, met: Vec3, along: Vec3) -> f64 {
        let [x, y, z, radius] = self.ball;
        let to = Vec3::of([x, y, z]) - met;
        let along = along.unit();
        (to - along * to.dot(along)).length() / f64::from(radius)
    }

    fn triangles(&self, rounding: &Rounding, snap: f64) -> Vec<Triangle<8>> {
        let ray = |column, row| self.ray(rounding, snap, column, row);
        let rays: Vec<[Ray; COLUMNS + 1]> =
            (0..=ROWS).map(|row| std::array::from_fn(|column| ray(column, row))).collect();
        let quads = (0..ROWS).flat_map(|row| (0..COLUMNS).map(move |column| (row, column)));
        let corners = quads.flat_map(|(row, column)| {
            let [a, b] = [0, 1].map(|dx| rays[row][column + dx]);
            let [c, d] = [0, 1].map(|dx| rays[row + 1][column + dx]);
            [[a, b, c], [b, c, d]]
        });
        corners.map(|corners| Triangle::new(corners, TARGET)).collect()
    }

    fn light(&self, triangles: &[Triangle<8>], pixel: [u32; 2]) -> Pixel<2> {
        let [mut lit, mut all] = [0.0; 2];
        for triangle in triangles {
            let numbers = match triangle.at(pixel) {
                Pixel::Untouched => continue,
                Pixel::Edge => return Pixel::Edge,
                Pixel::Is(numbers) => numbers,
            };
            // Areas before and behind the surface.
            let before = area(triangle.corners.map(|corner| [corner.numbers[0], corner.numbers[1]]));
            let part = ((before / triangle.area()).abs() / f64::from(self.texel)).min(40.0);
            let [_, _, x, y, z, along_x, along_y, along_z] = numbers;
            let met = Vec3(x, y, z);
            let open = if self.ball[3] > 0.0 {
                let past = self.past(met, Vec3(along_x, along_y, along_z));
                smoothstep(0.9, 1.1, past.min(self.past(met, Vec3::of(self.sun))))
            } else {
                1.0
            };
            lit += part * open;
            all += part;
        }
        Pixel::Is([lit, all])
    }

    fn drawn(&self, gpu: &Gpu) -> Result<Vec<f32>> {
        let nodes = gpu.buffer(NODES[0], NODES[1]).components(4).init(self.nodes.as_flattened())?;
        let ball = gpu.buffer(1, 1).components(4).init(&self.ball)?;
        let count = ROWS * (2 * (COLUMNS + 1) + 2);
        let (vertex, fragment) =
            (kernels::named("view/pool_light.vert")?, kernels::named("view/pool_light.frag")?);
        let mut program = gpu.load_scatter(vertex, fragment)?;
        program
            .bind_stream("nodes", &nodes)?
            .bind_stream("ball", &ball)?
            .bind_float("mesh", [COLUMNS as f32, ROWS as f32, 2.0, 2.0])?
            .bind_float("half_sides", self.half)?
            .bind_float("cell", self.cell)?
            .bind_float("depth", self.depth)?
            .bind_float("relief", self.relief)?
            .bind_float("sun", self.sun)?
            .bind_float("texel", self.texel)?;
        let map = gpu
            .buffer(TARGET[0], TARGET[1])
            .components(2)
            .init(&[0.0; 2 * (TARGET[0] * TARGET[1]) as usize])?;
        program.onto(&[&map]).adding().counted_strip(count as u32).run()?;
        map.data()
    }
}

fn pixel(i: usize) -> [u32; 2] {
    [i as u32 % TARGET[0], i as u32 / TARGET[0]]
}

/// A sun that stands high and one that hardly stands over the horizon, whose rays go flat through shallow, steep water.
#[test]
fn light_on_the_floor_is_the_sum_of_the_beams_there_less_what_the_ball_keeps_off() -> Result<()> {
    on_gpu(|gpu| {
        let high = Vec3(0.52, 0.80, -0.30);
        let low = Vec3(1.0, 0.03, 0.3);
        let ball = [0.03, -0.1, 0.05, 0.13];
        for (n, scene) in [
            Scene::new(1, high, 0.06, ball, (0.42, 1.0)),
            Scene::new(2, high, 0.03, [0.0; 4], (0.42, 0.02)),
            Scene::new(3, low, 12.0, ball, (0.03, 1.0)),
        ]
        .iter()
        .enumerate()
        {
            let found = scene.drawn(gpu)?;
            let runs = Rounding::runs(|rounding| scene.triangles(rounding, snap(gpu)));
            check(&format!("scene {n}"), &found, (DERIVED, 0.3), |rounding, i| {
                scene.light(&runs[rounding.run as usize], pixel(i))
            });
        }
        Ok(())
    })
}

const PASSED_ON: &str = "in vec3 place; in vec3 normal; RANGE vec4 first; RANGE vec4 second;
    void main() { first = vec4(place, 1.0); second = vec4(normal, 1.0); }";

/// Where a quad begins, how it goes along and up, and which way it looks.
struct Quad([Vec3; 4]);

/// Four quads of deck, far, near, left, right; the pool's walls and those around the deck in the same order, all of them facing the middle.
fn quads(half: [f64; 2], depth: f64, deck: f64, reach: f64) -> Vec<Quad> {
    let [x, z] = half;
    let level = |from: [f64; 2], to: [f64; 2]| {
        let [width, length] = [to[0] - from[0], to[1] - from[1]];
        Quad([Vec3(from[0], deck, from[1]), Vec3(width, 0.0, 0.0), Vec3(0.0, 0.0, length), UP])
    };
    let mut quads = vec![
        level([-reach, -reach], [reach, -z]),
        level([-reach, z], [reach, reach]),
        level([-reach, -z], [-x, z]),
        level([x, -z], [reach, z]),
    ];
    for (x, z, low, high) in [(x, z, -depth, deck), (reach, reach, deck, 1.5)] {
        let up = Vec3(0.0, high - low, 0.0);
        for side in [-1.0, 1.0] {
            quads.push(Quad([Vec3(-x, low, side * z), Vec3(2.0 * x, 0.0, 0.0), up, Vec3(0.0, 0.0, -side)]));
        }
        for side in [-1.0, 1.0] {
            quads.push(Quad([Vec3(side * x, low, -z), Vec3(0.0, 0.0, 2.0 * z), up, Vec3(-side, 0.0, 0.0)]));
        }
    }
    quads
}

#[test]
fn walls_and_deck_lie_around_the_pool_and_face_it() -> Result<()> {
    on_gpu(|gpu| {
        let (half, depth, deck, reach) = ([0.7, 0.9], 0.6, 0.2, 1.6);
        // From above, from a corner, and from below, without depth: what is drawn last is seen.
        let views: [[[f32; 4]; 4]; 3] = [
            [[0.5, 0.03, 0.02, 0.1], [-0.02, 0.05, 0.55, 0.0], [0.0; 4], [0.03, 0.02, -0.04, 1.0]],
            [[0.4, 0.1, -0.35, 0.0], [0.2, 0.5, 0.25, -0.1], [0.0; 4], [0.1, 0.0, 0.08, 1.5]],
            [[0.3, -0.2, 0.4, 0.1], [-0.3, 0.6, 0.3, 0.2], [0.0; 4], [-0.06, 0.1, 0.05, 1.2]],
        ];
        let vertex = kernels::named("view/pool_place.vert")?;
        let mut program = gpu.load_scatter(vertex, Kernel::new("passed_on.frag", PASSED_ON))?;
        program.bind_float("half_sides", half)?.bind_float("depth", depth)?;
        program.bind_float("deck", deck)?.bind_float("reach", reach)?;
        let quads = quads(wide(half), depth.into(), deck.into(), reach.into());
        let snap = snap(gpu);
        for (n, view) in views.iter().enumerate() {
            for (name, row) in ["matrix_x", "matrix_y", "matrix_z", "matrix_w"].into_iter().zip(view) {
                program.bind_float(name, *row)?;
            }
            let targets = [untouched(gpu, TARGET)?, untouched(gpu, TARGET)?];
            program.onto(&[&targets[0], &targets[1]]).counted_triangles(72).run()?;
            let numbers: Vec<f32> = (targets[0].data()?.as_chunks::<4>().0.iter())
                .zip(targets[1].data()?.as_chunks::<4>().0)
                .flat_map(|(&[x, y, z, _], &[nx, ny, nz, _])| [x, y, z, nx, ny, nz])
                .collect();
            let runs = Rounding::runs(|rounding| {
                let mut triangles = Vec::new();
                for Quad([from, along, up, normal]) in &quads {
                    let corner = |s: f64, t: f64| {
                        let p = (*from + *along * s + *up * t).off(rounding, NEAR);
                        let clip = view.map(|row| {
                            let [x, y, z, w] = wide(row);
                            Vec3(x, y, z).dot(p) + w
                        });
                        let numbers = [p.0, p.1, p.2, normal.0, normal.1, normal.2];
                        Corner { clip, numbers }.snapped(rounding, TARGET, snap)
                    };
                    let [a, b, c, d] =
                        [corner(0.0, 0.0), corner(1.0, 0.0), corner(1.0, 1.0), corner(0.0, 1.0)];
                    triangles.extend([[a, b, c], [a, c, d]].map(|corners| Triangle::new(corners, TARGET)));
                }
                triangles
            });
            check(&format!("view {n}"), &numbers, (64.0 * U, 0.3), |rounding, i| {
                let mut seen = Pixel::Untouched;
                for triangle in &runs[rounding.run as usize] {
                    match triangle.at(pixel(i)) {
                        Pixel::Untouched => {}
                        other => seen = other,
                    }
                }
                seen
            });
        }
        Ok(())
    })
}
