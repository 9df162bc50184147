//! Light on a face of a mesh and on the ground, with shadows.

use quadrille::gl::Kernel;
use quadrille::{Gpu, Program, Result, kernels};

use super::vec3::{NEAR, Vec3};
use super::{Field, Pixel, Rounding, U, check, mix, of_points, smoothstep, untouched, wide};
use crate::support::{Random, on_gpu};

const TARGET: [u32; 2] = [34, 22];

/// A thirtieth of what a screen of 8 bits tells apart: the glint is a power.
const TOLD: f64 = 1.0 / 8192.0;

const SUN: Vec3 = Vec3(1.05, 0.98, 0.86);
const SKY: Vec3 = Vec3(0.30, 0.36, 0.46);
const EARTH: Vec3 = Vec3(0.13, 0.11, 0.10);

/// A plane over the target: numbers at its south-west corner, their change over its width, and over its height.
const PLANE: &str = "uniform vec3 place_0, place_x, place_y, normal_0, normal_x, normal_y;
    out vec3 place, across; out float curvature;
    #if ROUND
    out vec3 normal;
    #endif
    void main() {
        vec2 at = vec2(gl_VertexID == 1 ? 2.0 : 0.0, gl_VertexID == 2 ? 2.0 : 0.0);
        place = place_0 + at.x * place_x + at.y * place_y;
        across = vec3(at.x, at.y, 1.0 - at.x - at.y);
        curvature = 0.1 + 4.0 * at.x;
    #if ROUND
        normal = normal_0 + at.x * normal_x + at.y * normal_y;
    #endif
        gl_Position = vec4(2.0 * at - 1.0, 0.0, 1.0);
    }";

/// Nearer to a depth of the map, a place may lie on either side of it.
const CLOSE: f64 = 1e-4;

/// A map of depths, and a light whose rows take places between -1 and 1 to anywhere on it and a little beyond, the farther off their origin.
struct Shadows {
    rows: [[f32; 4]; 3],
    depths: Field<1>,
    offset: f32,
}

/// Nine texels of a map around a place, and their weights: a quadratic B-spline's.
pub fn splined(size: [u32; 2], share: [f64; 2]) -> [([f64; 2], f64); 9] {
    let at = [0, 1].map(|n| share[n] * f64::from(size[n]));
    let weights = at.map(|x| {
        let part = x - x.floor() - 0.5;
        [0.5 * (0.5 - part).powi(2), 0.75 - part * part, 0.5 * (0.5 + part).powi(2)]
    });
    std::array::from_fn(|n| {
        let around = [n % 3, n / 3];
        (
            [0, 1].map(|n| at[n].floor() + around[n] as f64 - 0.5),
            weights[0][around[0]] * weights[1][around[1]],
        )
    })
}

impl Shadows {
    fn new(seed: u64) -> Shadows {
        let mut random = Random(seed);
        let rows = [0.4f32, 0.5, 0.3].map(|most| [0; 4].map(|_: i32| most * random.signed()));
        let rows = rows.map(|[x, y, z, w]| [x, y, z, w + 0.3f32.copysign(w)]);
        Shadows { rows, depths: Field::random([7, 5], seed + 1, -1.0, 1.0), offset: 0.21 }
    }

    fn bind(&self, gpu: &Gpu, program: &mut Program) -> Result<()> {
        program.bind_stream("shadows", &self.depths.buffer(gpu)?)?;
        program.bind_float("offset", self.offset)?;
        for (name, row) in ["light_x", "light_y", "light_z"].into_iter().zip(self.rows) {
            program.bind_float(name, row)?;
        }
        Ok(())
    }

    /// The part of the nine texels around a place that the light reaches; `None` so near to a depth that either may be.
    fn lit(&self, rounding: &Rounding, place: Vec3, normal: Vec3) -> Option<f64> {
        let p = place + normal * f64::from(self.offset);
        let [x, y, z] = self.rows.map(|row| {
            let [x, y, z, w] = wide(row);
            rounding.of(Vec3(x, y, z).dot(p) + w, NEAR)
        });
        let around = splined(self.depths.size, [0.5 + 0.5 * x, 0.5 + 0.5 * y]);
        around.into_iter().try_fold(0.0, |lit, (texel, weight)| {
            let [stored] = self.depths.at(texel);
            let reached = if stored >= z { weight } else { 0.0 };
            ((stored - z).abs() > CLOSE).then_some(lit + reached)
        })
    }
}

struct Face {
    place: [[f32; 3]; 3],
    normal: [[f32; 3]; 3],
    eye: [f32; 3],
    key: [f32; 3],
}

const GENTLE: f64 = 1.5;

/// Which parts of the kernel are compiled.
#[derive(Clone, Copy, Debug)]
struct Look {
    curved: bool,
    round: bool,
    wire: bool,
    shadowed: bool,
}

fn faces() -> Vec<Face> {
    let key = Vec3(0.4, 0.8, 0.45).unit().to_f32();
    let seen = Face {
        place: [[-0.6, -0.2, 0.3], [1.1, 0.2, -0.1], [0.1, 0.5, -0.9]],
        // Shorter than 1, and far from the triangle's at one end.
        normal: [[-0.1, 0.3, 0.1], [-0.3, 0.0, 0.2], [0.0, -0.05, 0.25]],
        eye: [0.4, 2.0, 1.3],
        key,
    };
    let below =
        Face { eye: [0.1, -2.0, 0.4], place: [[-0.5, 0.1, 0.4], [1.0, 0.3, 0.0], [0.0, -0.2, -0.8]], ..seen };
    let low = Face { eye: [2.5, 1.3, -0.7], key: Vec3(0.9, 0.3, -0.4).unit().to_f32(), ..below };
    vec![seen, below, low]
}

fn light(face: &Face, look: Look, shadows: &Shadows, rounding: &Rounding, i: usize) -> Option<[f64; 4]> {
    let (column, row) = (i as u32 % TARGET[0], i as u32 / TARGET[0]);
    let [x, y] = [(column, TARGET[0]), (row, TARGET[1])].map(|(at, n)| (f64::from(at) + 0.5) / f64::from(n));
    let plane = |of: [[f32; 3]; 3]| Vec3::of(of[0]) + Vec3::of(of[1]) * x + Vec3::of(of[2]) * y;
    let [_, u, v] = face.place.map(Vec3::of);
    let place = plane(face.place).off(rounding, NEAR);
    let to_eye = (Vec3::of(face.eye) - place).unit();
    let key = Vec3::of(face.key);
    let across = Vec3(u.1 * v.2 - u.2 * v.1, u.2 * v.0 - u.0 * v.2, u.0 * v.1 - u.1 * v.0).unit();
    // Both sides are lit. Derivatives are differences of numbers that are a fiftieth of them apart.
    let mut n = (if across.dot(to_eye) < 0.0 { -across } else { across }).off(rounding, 512.0 * U);
    if look.round {
        let rounded = plane(face.normal).unit();
        let rounded = if rounded.dot(n) < 0.0 { -rounded } else { rounded };
        n = n.mixed(rounded, smoothstep(0.72, 0.92, rounded.dot(n))).unit();
    }
    let mut sun = SUN;
    if look.shadowed {
        sun = sun * (smoothstep(0.0, 0.3, n.dot(key)) * shadows.lit(rounding, place, n)?);
    }
    let mut colour = Vec3(0.58, 0.55, 0.49);
    if look.curved {
        let curvature = 0.1 + 4.0 * x;
        let sharp = 2.0 * curvature / (curvature + GENTLE);
        let (blue, bone, rust) = (Vec3(0.05, 0.16, 0.42), Vec3(0.62, 0.60, 0.54), Vec3(0.62, 0.07, 0.02));
        colour = if sharp < 1.0 { blue.mixed(bone, sharp) } else { bone.mixed(rust, sharp - 1.0) };
    }
    if look.wire {
        let [dx, dy] = TARGET.map(|side| 1.0 / f64::from(side));
        let pixels = [x / dx, y / dy, (1.0 - x - y) / (dx + dy)].map(|pixels| rounding.of(pixels, 256.0 * U));
        let nearest = pixels.into_iter().fold(f64::INFINITY, f64::min);
        colour = colour * mix(0.12, 1.0, smoothstep(0.5, 1.6, nearest));
    }
    let base = n.dot((key + to_eye).unit()).max(0.0);
    let glint = 0.10 * rounding.of(base, base / f64::from(1u32 << 15)).powi(30);
    let ambient = EARTH.mixed(SKY, 0.5 + 0.5 * n.1);
    let mut light = colour * (ambient + sun * n.dot(key).max(0.0)) + sun * glint;
    if look.round {
        light = light + SKY * (0.35 * (1.0 - n.dot(to_eye).max(0.0)).powi(3));
    }
    Some([light.0, light.1, light.2, 1.0])
}

#[test]
fn a_face_has_its_colour_under_sun_and_sky_its_glint_its_edges_and_shadows() -> Result<()> {
    on_gpu(|gpu| {
        let shadows = Shadows::new(21);
        let looks = [0b0000, 0b0001, 0b0010, 0b0100, 0b0111, 0b1000, 0b1111].map(|bits: u32| {
            let [curved, round, wire, shadowed] = [0, 1, 2, 3].map(|n| bits >> n & 1 == 1);
            Look { curved, round, wire, shadowed }
        });
        for look in looks {
            let kernel = kernels::named("view/faces_shade.frag")?
                .define("CURVED", i32::from(look.curved))
                .define("ROUND", i32::from(look.round))
                .define("WIRE", i32::from(look.wire))
                .define("SHADOWED", i32::from(look.shadowed))
                .define("GROUND", 0);
            let plane = Kernel::new("plane.vert", PLANE).define("ROUND", i32::from(look.round));
            let mut program = gpu.load_scatter(plane, kernel)?;
            if look.curved {
                program.bind_float("gentle", GENTLE as f32)?;
            }
            if look.shadowed {
                shadows.bind(gpu, &mut program)?;
            }
            for (n, face) in faces().iter().enumerate() {
                for (name, value) in ["place_0", "place_x", "place_y"].into_iter().zip(face.place) {
                    program.bind_float(name, value)?;
                }
                for (name, value) in ["normal_0", "normal_x", "normal_y"].into_iter().zip(face.normal) {
                    if look.round {
                        program.bind_float(name, value)?;
                    }
                }
                program.bind_float("eye", face.eye)?.bind_float("key", face.key)?;
                let target = untouched(gpu, TARGET)?;
                program.onto(&[&target]).counted_triangles(3).run()?;
                check(&format!("face {n}, {look:?}"), &target.data()?, (TOLD, 0.1), |rounding, i| {
                    light(face, look, &shadows, rounding, i).map_or(Pixel::Edge, Pixel::Is)
                });
            }
        }
        Ok(())
    })
}

#[test]
fn the_ground_has_the_light_of_its_open_sky_and_the_sun_and_fades_away() -> Result<()> {
    on_gpu(|gpu| {
        let (shadows, opened) = (Shadows::new(31), Field::<1>::random([6, 4], 33, 0.0, 1.0));
        let (reach, fading, key) = (1.3f32, 2.2f32, Vec3(0.4, 0.8, 0.45).unit().to_f32());
        let mut random = Random(34);
        let mut around = |_, _| [1.4 * random.signed(), 0.3 * random.signed(), 1.4 * random.signed(), 0.0];
        let (places, aways) = (
            Field::new(TARGET, &mut around),
            Field::new(TARGET, |x, y| {
                let [along, _, across, _] = around(x, y);
                [along, across]
            }),
        );
        let kernel = kernels::named("view/faces_shade.frag")?.define("SHADOWED", 1).define("GROUND", 1);
        let kernel = kernel.define("ROUND", 0).define("CURVED", 0).define("WIRE", 0);
        let mut program = of_points(gpu, kernel, &[("place", 3), ("away", 2)])?;
        shadows.bind(gpu, &mut program)?;
        program
            .bind_stream("of_place", &places.buffer(gpu)?)?
            .bind_stream("of_away", &aways.buffer(gpu)?)?
            .bind_stream("opened", &opened.buffer(gpu)?)?
            .bind_float("reach", reach)?
            .bind_float("fading", fading)?
            .bind_float("key", key)?;
        let target = untouched(gpu, TARGET)?;
        program.onto(&[&target]).counted_points(TARGET[0] * TARGET[1]).run()?;
        check("ground", &target.data()?, (32.0 * U, 0.05), |rounding, i| {
            let [x, y, z, _] = places.texels[i];
            let away = aways.texels[i].map(|x| rounding.of(x.into(), NEAR));
            let Some(lit) = shadows.lit(rounding, Vec3::of([x, y, z]), Vec3(0.0, 1.0, 0.0)) else {
                return Pixel::Edge;
            };
            let part = away.map(|x| x / f64::from(reach));
            let around = splined(opened.size, part.map(|x| 0.5 - 0.5 * x));
            let open: f64 = around.into_iter().map(|(texel, weight)| weight * opened.at(texel)[0]).sum();
            let open = mix(open, 1.0, smoothstep(0.75, 1.0, part[0].abs().max(part[1].abs())));
            let cover = 1.0 - smoothstep(0.06, 0.9, away[0].hypot(away[1]) / f64::from(fading));
            let light = (SKY * open + SUN * (lit * f64::from(key[1]))) * Vec3(0.20, 0.21, 0.23) * cover;
            Pixel::Is([light.0, light.1, light.2, cover])
        });
        Ok(())
    })
}

/// Six vertices of two rows, a triangle each way, a sliver, and one that is a point: in the world it has no normal and adds none.
#[test]
fn a_vertex_has_the_weighted_normals_of_its_triangles_and_a_point_adds_nothing() -> Result<()> {
    on_gpu(|gpu| {
        let vertices = [
            [0.1f32, 0.2, 0.3, 7.0],
            [1.3, 0.1, -0.2, 7.0],
            [0.2, 1.1, 0.4, 7.0],
            [1.2, 1.4, 0.9, 7.0],
            [1.3, 0.1, -0.2001, 7.0],
            [-2.0, 0.5, 3.0, 7.0],
        ];
        let triangles = [[0usize, 1, 2], [3, 2, 1], [1, 4, 0], [5, 5, 5]];
        // An address is the row and the column's part of 4096.
        let address = |vertex: usize| (vertex / 3) as f32 + (vertex % 3) as f32 / 4096.0;
        let corners: Vec<f32> = triangles
            .iter()
            .flat_map(|triangle| (0..3).flat_map(|k| [address(triangle[k]), k as f32]))
            .collect();
        let kernels = (kernels::named("view/normals_place.vert")?, kernels::named("view/normals_add.frag")?);
        let mut program = gpu.load_scatter(kernels.0, kernels.1)?;
        program.bind_stream("corners", &gpu.buffer(4, 3).components(2).init(&corners)?)?;
        program.bind_stream("positions", &gpu.buffer(3, 2).components(4).init(vertices.as_flattened())?)?;
        let target = gpu.buffer(3, 2).components(4).init(&[0.0; 24])?;
        program.onto(&[&target]).adding().counted_points(12).run()?;
        let mut expected = [Vec3(0.0, 0.0, 0.0); 6];
        for triangle in triangles.iter().filter(|[a, b, _]| a != b) {
            for k in 0..3 {
                let [a, b, c] = [k, (k + 1) % 3, (k + 2) % 3].map(|n| {
                    let [x, y, z, _] = vertices[triangle[n]];
                    Vec3::of([x, y, z])
                });
                let (u, v, w) = (b - a, c - a, c - b);
                let across = Vec3(u.1 * v.2 - u.2 * v.1, u.2 * v.0 - u.0 * v.2, u.0 * v.1 - u.1 * v.0);
                let sum = expected[triangle[k]] + across * (1.0 / (u.dot(u) + v.dot(v) + w.dot(w)));
                expected[triangle[k]] = sum;
            }
        }
        for (found, expected) in target.data()?.as_chunks::<4>().0.iter().zip(expected) {
            let [x, y, z, _] = *found;
            // Three normals of products of differences up to 4.
            assert!((Vec3::of([x, y, z]) - expected).length() < 64.0 * U, "{found:?}, {expected:?}");
        }
        Ok(())
    })
}
