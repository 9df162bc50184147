//! An occlusion query ends an iteration: a front spreads through a maze until no texel changes any more.

use quadrille::Gpu;
use quadrille::pug::until_none;
use std::cell::RefCell;

const MAZE: [&str; 5] = ["#########", "#s..#...#", "#.#.#.#.#", "#.#...#e#", "#########"];

// Steps from the start: 0 is unknown, −1 a wall.
const SPREAD: &str = "
    uniform Stream steps;
    DOMAIN here;
    RANGE float next;
    void main() {
        float own = value2(steps, here).x, most = 0.0;
        for (float i = 0.0; i < 4.0; i += 1.0) {
            float beside = value2(steps, here + (i < 2.0 ? vec2(2.0 * i - 1.0, 0.0) : vec2(0.0, 2.0 * i - 5.0))).x;
            most = max(most, beside);
        }
        next = own == 0.0 && most > 0.0 ? most + 1.0 : own;
    }";

// A fragment is left for each texel that will still change.
const CHANGES: &str = "
    uniform Stream before, after;
    DOMAIN here;
    RANGE float left;
    void main() { if (value2(before, here).x == value2(after, here).x) discard; left = 1.0; }";

pub fn main() -> quadrille::Result<()> {
    let gpu = Gpu::headless()?;
    let (width, height) = (MAZE[0].len() as u32, MAZE.len() as u32);
    let start = MAZE.concat().chars().map(|c| f32::from(c == 's') - f32::from(c == '#')).collect::<Vec<_>>();
    let steps = RefCell::new(gpu.buffer(width, height).double().init(&start)?);
    let rest = gpu.buffer(width, height).build()?;
    let (mut spread, mut changes) = (gpu.program("spread", SPREAD)?, gpu.program("changes", CHANGES)?);
    let ended = until_none(
        &gpu,
        1000,
        1,
        |_| {
            let mut steps = steps.borrow_mut();
            spread.bind_stream("steps", steps.front())?.run(steps.back())?;
            steps.swap();
            Ok(())
        },
        || {
            changes
                .bind_stream("before", steps.borrow().back())?
                .bind_stream("after", steps.borrow().front())?
                .run(&rest)
        },
    )?;
    let end = steps.borrow().data()?[MAZE.concat().find('e').unwrap_or(0)];
    println!("the exit is {} steps away; {} sweeps", end - 1.0, ended.sweeps);
    assert!(ended.done && end == 13.0);
    Ok(())
}
