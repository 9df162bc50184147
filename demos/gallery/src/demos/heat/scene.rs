//! Plates to begin with: obstacles by a seed, a maze, a heat sink, a room.

use quadrille::numeric::Random;
use quadrille::sim::heat::{STATE, Sides, seed};

/// The plate that a run begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scene {
    #[default]
    Obstacles,
    Maze,
    HeatSink,
    Room,
}

pub const SCENES: [(&str, &str, Scene); 4] = [
    ("obstacles", "Discs and bars, and a hot disc in the middle", Scene::Obstacles),
    (
        "maze",
        "Heat comes in at the upper left and finds the way out at the lower right: in the end only the way between has a slope",
        Scene::Maze,
    ),
    (
        "heat-sink",
        "A hot chip below fins, which lose heat through pores to cold air: the higher, the colder, so that long fins help little",
        Scene::HeatSink,
    ),
    (
        "room",
        "A radiator under a window, seen from above, and a room beyond a door; the air conducts and does not move",
        Scene::Room,
    ),
];

/// Numbers of a cell: of cold plate, of an obstacle, held hot, held cold.
const PLATE: [f32; STATE] = [0.0, 1.0, 1.0];
const WALL: [f32; STATE] = [0.0, 0.0, 0.0];
const HOT: [f32; STATE] = [1.0, 1.0, 0.0];
const COLD: [f32; STATE] = [0.0, 1.0, 0.0];

/// Cells of a way of the maze, about.
const WAY: f32 = 12.0;

impl Scene {
    /// The condition at its sides unless the user says otherwise.
    pub fn sides(self) -> Sides {
        match self {
            Scene::Obstacles | Scene::Maze => Sides::HOT_TO_COLD,
            Scene::HeatSink | Scene::Room => Sides::INSULATED,
        }
    }

    /// Its size unless the user says otherwise: heat takes four times as many steps through a plate twice as wide.
    pub fn size(self) -> [u32; 2] {
        match self {
            Scene::Obstacles => [256; 2],
            Scene::Maze => [96; 2],
            Scene::HeatSink | Scene::Room => [160; 2],
        }
    }

    /// Its state begins in another way with another seed.
    pub fn uses_seed(self) -> bool {
        matches!(self, Scene::Obstacles | Scene::Maze)
    }

    /// The plate, row after row.
    pub fn state(self, width: u32, height: u32, number: u64) -> Vec<f32> {
        let [w, h] = [width as f32, height as f32];
        // The place of a cell's middle as parts of the sides.
        let each = |of: &dyn Fn(f32, f32) -> [f32; STATE]| -> Vec<f32> {
            let row = |y: u32| (0..width).flat_map(move |x| of((x as f32 + 0.5) / w, (y as f32 + 0.5) / h));
            (0..height).flat_map(row).collect()
        };
        match self {
            Scene::Obstacles => seed(width, height, number),
            Scene::Maze => {
                let maze =
                    Maze::new([w, h].map(|side| (side / WAY).round().clamp(2.0, 24.0) as usize), number);
                let half = (0.06 * WAY).min(0.12 * w.min(h)).max(0.55);
                each(&|x, y| if maze.is_wall([x, y], [half / w, half / h]) { WALL } else { PLATE })
            }
            // A pore is a cell of the skin.
            Scene::HeatSink => each(&|x, y| heat_sink(x, y, 1.0 / w, 1.0 / h)),
            Scene::Room => each(&|x, y| room(x, y, 1.0 / w, 1.0 / h)),
        }
    }
}

/// Fins over a base over a chip, within cold air; a board below. Between metal and air lies a skin of a cell with pores.
fn heat_sink(x: f32, y: f32, cell: f32, row: f32) -> [f32; STATE] {
    const FINS: f32 = 5.0;
    const SPAN: [f32; 2] = [0.14, 0.86];
    const TOP: f32 = 0.30;
    const PORES: f32 = 0.15;
    const BASE: [f32; 2] = [0.68, 0.78];
    let is_metal = |x: f32, y: f32| {
        let across = (x - SPAN[0]) / (SPAN[1] - SPAN[0]);
        // A fin and a gap of the same width; the last fin has no gap behind it.
        let part = across * (FINS - 0.5);
        let is_fin = (TOP..BASE[0]).contains(&y) && part.fract() < 0.5;
        (0.0..1.0).contains(&across) && (is_fin || (BASE[0]..BASE[1]).contains(&y))
    };
    if y >= BASE[1] {
        let is_chip = (x - 0.5).abs() < 0.20 && y < BASE[1] + 0.08;
        return if is_chip { HOT } else { WALL };
    }
    if is_metal(x, y) {
        return PLATE;
    }
    let beside = [[cell, 0.0], [-cell, 0.0], [0.0, row], [0.0, -row]];
    let is_skin = beside.into_iter().any(|[dx, dy]| is_metal(x + dx, y + dy));
    let is_pore = (y / PORES).fract() * PORES < row && !is_metal(x, y + row);
    if is_skin && !is_pore { WALL } else { COLD }
}

/// Two rooms within walls, seen from above: a window in the upper wall with a radiator behind it, a door between the rooms.
fn room(x: f32, y: f32, cell: f32, row: f32) -> [f32; STATE] {
    const WALLS: [f32; 2] = [0.10, 0.90];
    const THICK: f32 = 0.035;
    let (thick, is_in) =
        (THICK.max(0.6 * cell.max(row)), |v: f32, [low, high]: [f32; 2]| (low..high).contains(&v));
    let within =
        |by: f32| is_in(x, [WALLS[0] - by, WALLS[1] + by]) && is_in(y, [WALLS[0] - by, WALLS[1] + by]);
    if !within(thick) {
        return COLD;
    }
    if !within(0.0) {
        // Panes: two cells in the middle of the wall, of which every third lets heat through.
        let is_window = is_in(x, [0.24, 0.50]) && y < 0.5;
        let is_pane = (y - (WALLS[0] - 0.5 * thick)).abs() <= row;
        return match (is_window, is_pane) {
            (false, _) => WALL,
            (true, true) if !((x / cell) as u32).is_multiple_of(3) => WALL,
            (true, _) if y < WALLS[0] - 0.5 * thick => COLD,
            (true, _) => PLATE,
        };
    }
    if is_in(x, [0.62, 0.62 + thick]) && !is_in(y, [0.62, 0.76]) {
        return WALL;
    }
    if is_in(x, [0.27, 0.47]) && is_in(y, [WALLS[0] + 0.03, WALLS[0] + 0.06]) {
        return HOT;
    }
    // A cupboard and a table.
    let is_table = ((x - 0.34) / 0.07).hypot((y - 0.62) / 0.07) < 1.0;
    let is_cupboard = is_in(x, [0.74, 0.90]) && is_in(y, [0.10, 0.17]);
    if is_table || is_cupboard { WALL } else { PLATE }
}

/// A maze in which one way leads from each cell to each other.
struct Maze {
    columns: usize,
    rows: usize,
    /// For each cell whether the way to the right of it and the one below are open.
    open: Vec<[bool; 2]>,
}

impl Maze {
    /// By a walk that goes on to a neighbour not yet seen, or back.
    fn new([columns, rows]: [usize; 2], number: u64) -> Maze {
        let (mut random, mut open) = (Random(number), vec![[false; 2]; columns * rows]);
        let (mut seen, mut walk) = (vec![false; columns * rows], vec![0]);
        seen[0] = true;
        while let Some(&at) = walk.last() {
            let (x, y) = (at % columns, at / columns);
            let around = [
                (x + 1 < columns).then(|| (at + 1, at, 0)),
                (x > 0).then(|| (at - 1, at - 1, 0)),
                (y + 1 < rows).then(|| (at + columns, at, 1)),
                (y > 0).then(|| (at - columns, at - columns, 1)),
            ];
            let ways: Vec<_> = around.into_iter().flatten().filter(|&(next, ..)| !seen[next]).collect();
            match ways.get(random.below(ways.len().max(1))) {
                Some(&(next, cell, way)) => {
                    open[cell][way] = true;
                    seen[next] = true;
                    walk.push(next);
                }
                None => _ = walk.pop(),
            }
        }
        Maze { columns, rows, open }
    }

    /// Returns true in a wall of that half thickness, as parts of the sides, at a place.
    fn is_wall(&self, [x, y]: [f32; 2], [thick_x, thick_y]: [f32; 2]) -> bool {
        let Maze { columns, rows, open } = self;
        let [along, down] = [x * *columns as f32, y * *rows as f32];
        let (line_x, line_y) = (along.round(), down.round());
        let near_x = (along - line_x).abs() <= thick_x * *columns as f32;
        let near_y = (down - line_y).abs() <= thick_y * *rows as f32;
        let (column, row) = ((along as usize).min(columns - 1), (down as usize).min(rows - 1));
        let upright = |line: usize| match line {
            0 => row > 0,
            _ if line == *columns => row + 1 < *rows,
            _ => !open[row * columns + line - 1][0],
        };
        let level = |line: usize| line == 0 || line == *rows || !open[(line - 1) * columns + column][1];
        match (near_x, near_y) {
            (true, true) => true,
            (true, false) => upright(line_x as usize),
            (false, true) => level(line_y as usize),
            (false, false) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cells that heat comes to from those that `begins` chooses, as 1, over open neighbours.
    fn reached(state: &[f32], width: usize, begins: impl Fn(usize) -> bool) -> Vec<bool> {
        let cells = state.as_chunks::<STATE>().0;
        let mut reached: Vec<bool> = (0..cells.len()).map(|i| begins(i) && cells[i][1] > 0.5).collect();
        let mut left: Vec<usize> = (0..cells.len()).filter(|&i| reached[i]).collect();
        while let Some(i) = left.pop() {
            let x = i % width;
            let around = [
                (x > 0).then(|| i - 1),
                (x + 1 < width).then_some(i + 1),
                i.checked_sub(width),
                Some(i + width).filter(|&n| n < cells.len()),
            ];
            for next in around.into_iter().flatten() {
                if cells[next][1] > 0.5 && !reached[next] {
                    reached[next] = true;
                    left.push(next);
                }
            }
        }
        reached
    }

    #[test]
    fn heat_comes_in_at_the_left_of_a_maze_and_gets_everywhere_by_one_way_out() {
        for [width, height] in [[256u32, 256], [257, 130], [96, 64]] {
            for number in [1, 2] {
                let (state, w) = (Scene::Maze.state(width, height, number), width as usize);
                let all = reached(&state, w, |i| i % w == 0);
                let cells = state.as_chunks::<STATE>().0;
                assert!(cells.iter().zip(&all).all(|(cell, &reached)| (cell[1] > 0.5) == reached));
                let doors = |column: usize| {
                    let open: Vec<bool> = (0..height as usize).map(|y| all[y * w + column]).collect();
                    1 + open.windows(2).filter(|pair| pair[0] != pair[1]).count() / 2
                };
                assert_eq!([doors(0), doors(w - 1)], [2, 2], "{width}x{height}: walls around one opening");
            }
            assert_ne!(Scene::Maze.state(width, height, 1), Scene::Maze.state(width, height, 2));
        }
    }

    /// Heat of the chip and of the radiator comes to cold cells, at any size that has room for pores.
    #[test]
    fn what_is_hot_is_joined_to_what_is_cold() {
        for scene in [Scene::HeatSink, Scene::Room] {
            for [width, height] in [[256u32, 256], [301, 170], [64, 64]] {
                let state = scene.state(width, height, 1);
                let cells = state.as_chunks::<STATE>().0;
                let all = reached(&state, width as usize, |i| cells[i] == HOT);
                let cold =
                    cells.iter().zip(&all).filter(|(cell, reached)| **cell == COLD && **reached).count();
                assert!(cold > 100, "{scene:?} {width}x{height}: {cold}");
                let plate: Vec<bool> =
                    cells.iter().zip(&all).filter(|(cell, _)| **cell == PLATE).map(|(_, &all)| all).collect();
                assert!(
                    plate.len() > 100 && plate.iter().all(|reached| *reached),
                    "{scene:?} {width}x{height}"
                );
            }
        }
    }

    #[test]
    fn every_scene_of_every_size_is_a_plate() {
        for (name, _, scene) in SCENES {
            for [width, height] in [[1u32, 1], [1, 17], [16, 1], [5, 3], [37, 23]] {
                let state = scene.state(width, height, 1);
                let known = [PLATE, WALL, HOT, COLD, [1.0, 1.0, 1.0]];
                assert_eq!(state.len(), STATE * (width * height) as usize);
                assert!(state.as_chunks::<STATE>().0.iter().all(|cell| known.contains(cell)), "{name}");
            }
        }
    }
}
