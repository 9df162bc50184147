//! Bodies that are thrown in with the mouse.
//!
//! A drag is an arrow in the plane that the scene lies about, or across the view where that plane is seen from its edge. The body begins where
//! the button went down, and its speed is as large as the arrow is long.

use quadrille::sim::nbody::Body;
use quadrille::view::{Ray, Stage};

use super::view::length;
use crate::picture::Mark;

/// The masses that can be thrown, as shares of all mass that the scene begins with: names, what they do, shares.
pub const KINDS: [(&str, &str, f64); 4] = [
    ("comet", "A millionth of all mass: it feels the others, and they do not feel it", 1e-6),
    ("planet", "A thousandth of all mass", 1e-3),
    ("star", "A twentieth of all mass: what it passes is bent off its way", 0.05),
    ("black hole", "Half of all mass: it tears apart what it passes", 0.5),
];

/// How fast a body is whose arrow is as long as half the stage, in speeds of the last colour.
const FASTEST: f64 = 0.75;

/// A plane that is seen flatter than that is no plane to draw arrows in.
const FLAT: f64 = 0.3;

/// How far from the ray a body is picked, as a share of its distance from the eye.
const NEAR: f64 = 0.04;

/// Pulls that a look at the way ahead may cost, and its points.
const PULLS: usize = 400_000;
const POINTS: usize = 160;

/// The choices of the mouse, which another scene keeps.
#[derive(Clone, Copy)]
pub struct Choice {
    pub kind: usize,
    /// The left button turns the view in place of throwing.
    pub turns: bool,
}

/// A body that is being aimed.
pub struct Aim {
    body: Body,
    /// Where the arrow ends.
    tip: [f64; 3],
    /// All others as they were when the button went down, and the square of the softening.
    others: Vec<Body>,
    square: f64,
}

/// The place where a ray meets the plane of the scene through `middle`, or the one across the ray `first`.
fn met(ray: &Ray, first: &Ray, middle: [f64; 3]) -> Option<[f64; 3]> {
    let along = first.along.map(|part| part / length(first.along));
    let normal = if along[2].abs() >= FLAT { [0.0, 0.0, 1.0] } else { along };
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let to = [0, 1, 2].map(|k| middle[k] - ray.from[k]);
    let way = dot(to, normal) / dot(ray.along, normal);
    (way.is_finite() && way > 0.0).then(|| ray.at(way))
}

impl Aim {
    /// Aims a body of that mass from where the ray meets the plane; `None` where it does not.
    pub fn begin(ray: &Ray, stage: &Stage, mass: f64, others: Vec<Body>, softening: f32) -> Option<Aim> {
        let place = met(ray, ray, middle(stage))?;
        let body = Body { position: place, velocity: [0.0; 3], mass };
        Some(Aim { body, tip: place, others, square: f64::from(softening).powi(2) })
    }

    /// Draws the arrow to where that ray meets the plane; `fastest` is the speed of the last colour.
    pub fn draw(&mut self, from: &Ray, to: &Ray, stage: &Stage, fastest: f64) {
        if let Some(tip) = met(to, from, middle(stage)) {
            let long = FASTEST * fastest / (0.5 * (stage.high[0] - stage.low[0]));
            self.body.velocity = [0, 1, 2].map(|k| long * (tip[k] - self.body.position[k]));
            self.tip = tip;
        }
    }

    pub fn body(&self) -> Body {
        self.body
    }

    pub fn speed(&self) -> f64 {
        length(self.body.velocity)
    }

    /// The speed from which on it leaves all others for ever, were they one heap that it is thrown at: v² = 2 |φ| (1 + m / M).
    pub fn escape(&self) -> f64 {
        let potential: f64 =
            self.others.iter().map(|other| other.mass * self.inverse(other, self.body.position)).sum();
        let all: f64 = self.others.iter().map(|other| other.mass).sum();
        (2.0 * potential * (1.0 + self.body.mass / all.max(f64::MIN_POSITIVE))).sqrt()
    }

    /// 1 / √(r² + ε²).
    fn inverse(&self, other: &Body, place: [f64; 3]) -> f64 {
        let square: f64 = (0..3).map(|k| (other.position[k] - place[k]).powi(2)).sum::<f64>() + self.square;
        if square > 0.0 { square.sqrt().recip() } else { 0.0 }
    }

    /// The places that it would come to in that time if all others stood still.
    fn ahead(&self, time: f64) -> Vec<[f64; 3]> {
        let points = (PULLS / self.others.len().max(1)).clamp(8, POINTS);
        let step = time / points as f64;
        let pull = |place: [f64; 3]| {
            let mut sum = [0.0; 3];
            for other in &self.others {
                let factor = other.mass * self.inverse(other, place).powi(3);
                (0..3).for_each(|k| sum[k] += factor * (other.position[k] - place[k]));
            }
            sum
        };
        let (mut place, mut velocity) = (self.body.position, self.body.velocity);
        let mut acceleration = pull(place);
        let mut way = vec![place];
        for _ in 0..points {
            velocity = [0, 1, 2].map(|k| velocity[k] + 0.5 * step * acceleration[k]);
            place = [0, 1, 2].map(|k| place[k] + step * velocity[k]);
            acceleration = pull(place);
            velocity = [0, 1, 2].map(|k| velocity[k] + 0.5 * step * acceleration[k]);
            way.push(place);
        }
        way
    }

    /// The arrow, the way ahead and the speed; `at` tells where a place is seen.
    pub fn marks(&self, stage: &Stage, at: impl Fn([f64; 3]) -> Option<[f32; 2]>) -> Vec<Mark> {
        let (Some(from), Some(tip)) = (at(self.body.position), at(self.tip)) else { return Vec::new() };
        let (speed, escape) = (self.speed(), self.escape());
        let half = 0.5 * (stage.high[0] - stage.low[0]);
        // As long as it takes to cross the stage at the speed that keeps it there.
        let ahead = self.ahead(3.0 * half / escape.max(speed).max(1e-30));
        let seen: Vec<[f32; 2]> = ahead.into_iter().map_while(&at).collect();
        let fate = if speed < escape { "bound: it comes back" } else { "it escapes" };
        let text = format!("speed {speed:.2}, {fate} (escapes from {escape:.2} on)");
        vec![
            Mark::Path { points: seen, colour: [150, 200, 255, 110], arrow: false },
            Mark::Path { points: vec![from, tip], colour: [255, 235, 180, 255], arrow: true },
            Mark::Says { at: tip, text },
        ]
    }
}

/// The middle of the stage.
fn middle(stage: &Stage) -> [f64; 3] {
    [0, 1, 2].map(|k| 0.5 * (stage.low[k] + stage.high[k]))
}

/// The body that lies nearest to a ray, of those that are [`NEAR`]: heavy ones count as nearer.
pub fn nearest(bodies: &[Body], ray: &Ray) -> Option<usize> {
    let unit = ray.along.map(|part| part / length(ray.along));
    let most = bodies.iter().map(|body| body.mass).fold(0.0, f64::max);
    let off = |body: &Body| {
        let to = [0, 1, 2].map(|k| body.position[k] - ray.from[k]);
        let depth: f64 = (0..3).map(|k| to[k] * unit[k]).sum();
        let aside = length([0, 1, 2].map(|k| to[k] - depth * unit[k]));
        if depth > 0.0 { aside / depth } else { f64::INFINITY }
    };
    // A large disc is hit as easily as its neighbours in front of it.
    let counted = |body: &Body| off(body) * if body.mass >= 0.01 * most { 0.1 } else { 1.0 };
    let near = bodies.iter().enumerate().filter(|(_, body)| off(body) < NEAR);
    near.min_by(|(_, a), (_, b)| counted(a).total_cmp(&counted(b))).map(|(body, _)| body)
}

#[cfg(test)]
mod tests {
    use anyhow::Result;

    use super::*;

    /// A sun of mass 1: a body thrown at √(2/r) is on the edge, and the way ahead of one on a circle comes round.
    #[test]
    fn the_way_ahead_is_that_of_two_bodies() -> Result<()> {
        let stage = Stage { low: [-2.0, -2.0, -1.0], high: [2.0, 2.0, 1.0], ground: None };
        let ray = |x: f64, y: f64| Ray { from: [x, y, 10.0], along: [0.0, 0.0, -1.0] };
        let sun = Body { mass: 1.0, ..Body::default() };
        let mut aim = Aim::begin(&ray(1.0, 0.0), &stage, 1e-9, vec![sun], 0.0)
            .ok_or_else(|| anyhow::anyhow!("no plane"))?;
        // Half the stage is a speed of 0.75.
        aim.draw(&ray(1.0, 0.0), &ray(1.0, 2.0 / 1.5), &stage, 2.0);
        assert!((aim.speed() - 1.0).abs() < 1e-12 && (aim.escape() - 2f64.sqrt()).abs() < 1e-8);
        let way = aim.ahead(std::f64::consts::TAU);
        // Kick, drift, kick with 160 steps a turn: the phase is late by π (2π / 160)² / 12 of a turn, 0.0025.
        let end = way.last().copied().unwrap_or_default();
        assert!(length([end[0] - 1.0, end[1], end[2]]) < 0.005, "{end:?}");
        assert!(way.iter().all(|place| (length(*place) - 1.0).abs() < 1e-3));
        // Seen from the edge there is a plane all the same.
        let edge = Ray { from: [10.0, 0.5, 0.0], along: [-1.0, 0.0, 0.0] };
        let aim = Aim::begin(&edge, &stage, 1.0, vec![sun], 0.0).map(|aim| aim.body().position);
        assert_eq!(aim, Some([0.0, 0.5, 0.0]));
        Ok(())
    }

    #[test]
    fn the_nearest_to_a_ray_is_picked_and_none_far_from_it() {
        let ray = Ray { from: [0.0, 0.0, 10.0], along: [0.0, 0.0, -1.0] };
        let at = |x: f64, mass: f64| Body { position: [x, 0.0, 0.0], velocity: [0.0; 3], mass };
        assert_eq!(nearest(&[at(0.1, 1e-3), at(0.05, 1e-3), at(3.0, 1e-3)], &ray), Some(1));
        assert_eq!(nearest(&[at(0.1, 1.0), at(0.05, 1e-3)], &ray), Some(0), "a sun is larger");
        assert_eq!(nearest(&[at(1.0, 1.0)], &ray), None);
    }
}
