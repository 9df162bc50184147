//! The part of space that a picture shows: the wall, and the room it falls into.

use anyhow::Result;
use quadrille::sim::contact::{Body, bounds};
use quadrille::view::Stage;

use super::stack::Stack;

/// Metres a second of a cube of the middle that a blast of six newton seconds has hit.
const SPEED: f64 = 6.0;

/// The friction and gravity with which it slides and falls.
const FRICTION: f64 = 0.5;
const GRAVITY: f64 = 9.81;

/// The part of the bodies that lies where the wall falls, at least, if it is rubble of that wall.
const MOST: f64 = 0.9;

/// Room around dominoes, which fall where they stand, metres.
const AROUND: f64 = 2.0;

/// The stage of these bodies, which once `stood` as that stack of columns and rows: that stack's, so that a picture of a saved run
/// looks like one of the run, unless the bodies are elsewhere.
pub fn of(bodies: &[Body], stood: Option<(Stack, [u32; 2])>, ground: bool) -> Result<Stage> {
    if let Some((stack, size)) = stood {
        let all = bounds(&stack.bodies(size)?);
        let stage = match stack {
            Stack::Dominoes => near(all, ground),
            Stack::Wall | Stack::Pyramid | Stack::Gates => around(all, ground),
        };
        let inside =
            |body: &&Body| (0..3).all(|k| (stage.low[k]..=stage.high[k]).contains(&body.position[k]));
        if bodies.iter().filter(inside).count() as f64 >= MOST * bodies.len() as f64 {
            return Ok(stage);
        }
    }
    Ok(around(bounds(bodies), ground))
}

/// Leaves the same room on all sides but below.
fn near([low, high]: [[f64; 3]; 2], ground: bool) -> Stage {
    Stage {
        low: [low[0] - AROUND, low[1], low[2] - AROUND],
        high: [high[0] + AROUND, high[1], high[2] + AROUND],
        ground: ground.then_some((0.0, 1.0)),
    }
}

/// Leaves room to fall: to the back most of the way that a cube from the top flies and then slides, and more where a wide wall has
/// its blast farther off; to the sides a good part of the height; a little to the front. All of this box is in the picture, with
/// its upper corners, so that what leaves it on the ground is still seen.
fn around([low, high]: [[f64; 3]; 2], ground: bool) -> Stage {
    let [width, height] = [0, 1].map(|k| high[k] - low[k]);
    let fall = (2.0 * (height - 1.0).max(0.0) / GRAVITY).sqrt();
    let way = SPEED * fall + SPEED * SPEED / (2.0 * FRICTION * GRAVITY);
    let back = 0.8 * way * (1.0 + (width / 30.0 - 0.3).max(0.0));
    let (side, front) = ((0.9 * height).min(0.9 * width) + 0.5, 0.15 * height + 0.3);
    Stage {
        low: [low[0] - side, low[1], low[2] - back],
        high: [high[0] + side, high[1], high[2] + front],
        ground: ground.then_some((0.0, 1.0)),
    }
}
