//! How liquids and smoke begin.

use std::f64::consts::TAU;

use crate::numeric::Random;
use crate::sim::projection::Cell;

/// The beginning of a box; arrays have one value a voxel, in the order x, y, z.
#[derive(Clone, Debug)]
pub struct Start {
    /// Voxels along x, y and z.
    pub size: [u32; 3],
    /// The solids besides the walls of the box.
    pub solid: Vec<bool>,
    /// Signed distance from a liquid's surface in voxels, below 0 inside.
    pub distance: Vec<f32>,
    /// Density and temperature of smoke.
    pub density: Vec<f32>,
    /// The least of both of smoke, always.
    pub source: Option<Vec<f32>>,
}

impl Start {
    /// A liquid where a distance in voxels is below 0, of places in voxels from the corner of the box.
    pub fn liquid(size: [u32; 3], distance: impl Fn([f64; 3]) -> f64) -> Start {
        let distance = at_centres(size, distance);
        Start { solid: vec![false; distance.len()], density: Vec::new(), source: None, size, distance }
    }

    /// Smoke of such a density, 0 to 1.
    pub fn smoke(size: [u32; 3], density: impl Fn([f64; 3]) -> f64) -> Start {
        let density = at_centres(size, density);
        Start { solid: vec![false; density.len()], distance: Vec::new(), source: None, size, density }
    }

    /// With obstacles, at places in voxels.
    #[must_use]
    pub fn with_solid(mut self, solid: impl Fn([f64; 3]) -> bool) -> Start {
        self.solid =
            at_centres(self.size, |p| f64::from(u8::from(solid(p)))).iter().map(|&s| s > 0.5).collect();
        self
    }

    /// All but what is solid is fluid, until there is a surface.
    pub(super) fn cells(&self) -> Vec<Cell> {
        self.solid.iter().map(|&solid| if solid { Cell::Solid } else { Cell::Fluid }).collect()
    }
}

fn at_centres(size: [u32; 3], value: impl Fn([f64; 3]) -> f64) -> Vec<f32> {
    let [nx, ny, nz] = size;
    let all = (0..nz).flat_map(|k| (0..ny).flat_map(move |j| (0..nx).map(move |i| [i, j, k])));
    all.map(|voxel| value(voxel.map(|n| f64::from(n) + 0.5)) as f32).collect()
}

/// Flames of a fire.
const FLAMES: usize = 6;

/// A dam that has just broken: a column of water in a corner of the box, 0.4 of its length, 0.6 of its depth and 0.8 of
/// its height. The seed moves its sides by a twentieth of the box at most; 1 leaves them. Water and air are a voxel thick at
/// least; where a box is one voxel thick itself, the water is too.
pub fn dam(size: [u32; 3], seed: u64) -> Start {
    let mut random = Random(seed);
    let longest = size.into_iter().fold(1, u32::max);
    let mut side = |share: f64, n: u32| {
        let moved = if seed == 1 { 0.0 } else { 0.1 * (f64::from(random.unit()) - 0.5) };
        match n {
            // Far beyond the wall: no surface of the water.
            0 | 1 => f64::from(n + longest),
            _ => ((share + moved) * f64::from(n)).clamp(1.0, f64::from(n - 1)),
        }
    };
    let [nx, ny, nz] = size;
    let sides = [side(0.4, nx), side(0.6, ny), side(0.8, nz)];
    Start::liquid(size, move |place| corner(place, sides))
}

/// Two balls of water over a pool of a fifth of the height; the seed moves them by a twentieth of the box at most, and 1 leaves them. The lower one
/// falls in at once, the other into its splash.
pub fn drops(size: [u32; 3], seed: u64) -> Start {
    let mut random = Random(seed);
    let sides = size.map(f64::from);
    let mut ball = |[x, y, z]: [f64; 3], radius: f64| {
        let mut moved = || if seed == 1 { 0.0 } else { 0.1 * (f64::from(random.unit()) - 0.5) };
        let middle = [(x + moved()) * sides[0], (y + moved()) * sides[1], z * sides[2]];
        (middle, radius * sides.into_iter().fold(f64::MAX, f64::min))
    };
    let balls = [ball([0.36, 0.45, 0.42], 0.13), ball([0.64, 0.55, 0.78], 0.17)];
    // Water and air are a voxel thick at least; where the box is one voxel thick, the water is too.
    let pool = if size[2] < 2 { 2.0 * sides[2] } else { (0.2 * sides[2]).max(1.0) };
    Start::liquid(size, move |place| {
        let far = |(middle, radius): ([f64; 3], f64)| {
            (0..3).map(|k| (place[k] - middle[k]).powi(2)).sum::<f64>().sqrt() - radius
        };
        balls.into_iter().map(far).fold(place[2] - pool, f64::min)
    })
}

/// Water at rest up to that height, in voxels.
pub fn pool(size: [u32; 3], height: f64) -> Start {
    Start::liquid(size, move |[_, _, z]| z - height)
}

/// The distance from a box that fills a corner, whose sides at the walls do not count.
fn corner(place: [f64; 3], sides: [f64; 3]) -> f64 {
    let beyond: [f64; 3] = std::array::from_fn(|k| place[k] - sides[k]);
    let inside = beyond.into_iter().fold(f64::MIN, f64::max);
    let outside = beyond.into_iter().map(|b| b.max(0.0).powi(2)).sum::<f64>().sqrt();
    if inside < 0.0 { inside } else { outside }
}

/// A fire of a few flames on the ground, where and how strong by the seed: smoke rises from it.
pub fn fire(size: [u32; 3], seed: u64) -> Start {
    let [nx, ny, _] = size.map(f64::from);
    let (side, mut random) = (nx.min(ny), Random(seed));
    let mut unit = || f64::from(random.unit());
    let flames: [_; FLAMES] = std::array::from_fn(|number| {
        let (turn, far) = ((number as f64 + unit()) * TAU / FLAMES as f64, 0.16 * side * unit().sqrt());
        let radius = side * (0.05 + 0.05 * unit());
        let middle = [nx / 2.0 + far * turn.cos(), ny / 2.0 + far * turn.sin(), radius];
        (middle, radius, 0.6 + 0.4 * unit())
    });
    let mut start = Start::smoke(size, |place| {
        let burning =
            flames.iter().map(|&(middle, radius, strong)| strong * soft_ball(place, middle, radius));
        burning.fold(0.0, f64::max)
    });
    start.source = Some(start.density.clone());
    start
}

/// A ball of smoke, and no fire.
pub fn puff(size: [u32; 3]) -> Start {
    let [nx, ny, nz] = size.map(f64::from);
    let radius = 0.2 * nx.min(ny).min(nz);
    Start::smoke(size, |place| soft_ball(place, [nx / 2.0, ny / 2.0, 0.3 * nz], radius))
}

/// 1 inside, and 0 from a voxel beyond the radius on.
fn soft_ball(place: [f64; 3], middle: [f64; 3], radius: f64) -> f64 {
    let far = (0..3).map(|k| (place[k] - middle[k]).powi(2)).sum::<f64>().sqrt();
    (radius + 0.5 - far).clamp(0.0, 1.0)
}
