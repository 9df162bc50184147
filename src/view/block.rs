//! A box somewhere in space: what is drawn of a rigid body, and what a ray of the pointer may hit.

use super::lens::Ray;
use super::space::{Vector, add, corners, turned};

/// A box, turned and coloured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// Its middle.
    pub position: [f64; 3],
    /// The unit quaternion (x, y, z, w) that turns its own axes into the world's.
    pub orientation: [f64; 4],
    /// Half its sides along its own axes.
    pub half_sides: [f64; 3],
    /// Red, green and blue of its surface in linear light, 0 to 1.
    pub colour: [f32; 3],
    /// Light of its own, 0 to 1: something has just happened to it.
    pub glow: f32,
}

impl Block {
    /// Its eight corners in the world.
    pub fn corners(&self) -> [[f64; 3]; 8] {
        corners(self.half_sides.map(|h| -h), self.half_sides)
            .map(|corner| add(self.position, turned(self.orientation, corner), 1.0))
    }

    /// How many times `along` from its beginning a ray enters the box: 0 if it begins inside, `None` if it misses.
    ///
    /// A box is where three slabs meet, so that the ray is inside between its last entry and its first exit.
    ///
    /// # References
    /// Kay & Kajiya, *Ray Tracing Complex Scenes*, 1986 (slabs).
    pub fn hit(&self, ray: &Ray) -> Option<f64> {
        let [x, y, z, w] = self.orientation;
        let back = |v: Vector| turned([-x, -y, -z, w], v);
        let (from, along) = (back(add(ray.from, self.position, -1.0)), back(ray.along));
        let (mut enter, mut exit) = (0.0f64, f64::INFINITY);
        for axis in 0..3 {
            let (at, speed, half) = (from[axis], along[axis], self.half_sides[axis]);
            if speed == 0.0 {
                if at.abs() > half {
                    return None;
                }
                continue;
            }
            let ways = [(-half - at) / speed, (half - at) / speed];
            enter = enter.max(ways[0].min(ways[1]));
            exit = exit.min(ways[0].max(ways[1]));
        }
        (enter <= exit && exit.is_finite()).then_some(enter)
    }
}

/// The first of the boxes that a ray meets, and how many times `along` from its beginning.
pub fn nearest(blocks: &[Block], ray: &Ray) -> Option<(usize, f64)> {
    let hits = blocks.iter().enumerate().filter_map(|(i, block)| Some((i, block.hit(ray)?)));
    hits.min_by(|a, b| a.1.total_cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(position: [f64; 3], orientation: [f64; 4]) -> Block {
        Block { position, orientation, half_sides: [1.0, 0.5, 0.25], colour: [0.5; 3], glow: 0.0 }
    }

    fn ray(from: [f64; 3], along: [f64; 3]) -> Ray {
        Ray { from, along }
    }

    const STRAIGHT: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

    #[test]
    fn a_ray_enters_at_the_face_it_meets_first() {
        let straight = block([3.0, 2.0, 0.0], STRAIGHT);
        assert_eq!(straight.hit(&ray([0.0, 2.0, 0.0], [2.0, 0.0, 0.0])), Some(1.0));
        assert_eq!(straight.hit(&ray([3.0, 2.0, 10.0], [0.0, 0.0, -1.0])), Some(9.75));
        assert_eq!(straight.hit(&ray([3.0, 2.0, 0.1], [0.0, 0.0, -1.0])), Some(0.0));
        assert_eq!(straight.hit(&ray([3.0, 2.6, 10.0], [0.0, 0.0, -1.0])), None);
        assert_eq!(straight.hit(&ray([3.0, 2.0, 10.0], [0.0, 0.0, 1.0])), None, "behind the ray");
    }

    #[test]
    fn a_box_turned_a_quarter_around_z_stands_upright() {
        let (sine, cosine) = std::f64::consts::FRAC_PI_4.sin_cos();
        let upright = block([0.0; 3], [0.0, 0.0, sine, cosine]);
        let down = |x: f64| upright.hit(&ray([x, 5.0, 0.0], [0.0, -1.0, 0.0]));
        assert!(down(0.49).is_some_and(|way| (way - 4.0).abs() < 1e-12));
        assert_eq!(down(0.51), None);
        let most = upright.corners().iter().fold([0.0f64; 3], |most, c| [0, 1, 2].map(|k| most[k].max(c[k])));
        assert!(most.iter().zip([0.5, 1.0, 0.25]).all(|(found, half)| (found - half).abs() < 1e-12));
    }

    #[test]
    fn the_nearest_of_several_boxes_is_met() {
        let row: Vec<Block> = [3.0, -2.0, 7.0].map(|z| block([0.0, 0.0, z], STRAIGHT)).to_vec();
        let met = |from: f64, along: f64| nearest(&row, &ray([0.0, 0.0, from], [0.0, 0.0, along]));
        assert_eq!(met(10.0, -1.0).map(|hit| hit.0), Some(2));
        assert_eq!(met(-10.0, 1.0).map(|hit| hit.0), Some(1));
        assert_eq!(met(0.0, 1.0).map(|hit| hit.0), Some(0));
        assert_eq!(met(10.0, 1.0), None);
        let nowhere = [block([f64::NAN; 3], STRAIGHT)];
        assert_eq!(nearest(&nowhere, &ray([0.0; 3], [0.0, 0.0, 1.0])), None);
    }
}
