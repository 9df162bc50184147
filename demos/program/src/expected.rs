//! The largest pass of a command, by its arguments alone: whether Mesa's CPU driver is to draw in threads of its own is chosen before it is
//! loaded, and before this program has a second thread.

use std::path::Path;

use quadrille::Gpu;
use quadrille_gallery::param::Kind;

use crate::cli::{Command, DemoCommand, SolveArguments};
use crate::files::mtx;

/// Tells the library how many fetches the largest pass will make, where the arguments tell. A window draws its pictures for the screen, and
/// the gallery any demo: threads are right there.
pub fn choose(command: &Command) {
    let fetches = match command {
        Command::Demo { demo: Some(demo) } if demo.arguments.is_windowless() => of_demo(demo),
        Command::Solve(arguments) => of_system(arguments),
        Command::Exercise(_) => Some(0), // a few texels a case
        _ => None,
    };
    if let Some(fetches) = fetches {
        Gpu::expect_fetches(fetches);
    }
}

/// Fetches a cell of a step's passes: five of each cell, or ten of four cells in a texel on several levels.
const A_CELL: u64 = 5;

/// By the size of its field; frames and states have one of their own.
fn of_demo(demo: &DemoCommand) -> Option<u64> {
    let DemoCommand { about, values, arguments, .. } = demo;
    if about.name == "nbody" {
        let bodies: u64 = values.whole("bodies").unwrap_or(u64::from(u32::MAX));
        return Some(bodies.saturating_mul(bodies)); // each pulls each
    }
    if arguments.load.is_some() || arguments.every.is_some() {
        return None;
    }
    let size = about.param("size")?;
    let cells = match size.kind {
        Kind::Size => values.size("size").or_else(|| usual(size.default))?.map(u64::from).iter().product(),
        Kind::Size3 => values.size3("size")?.map(u64::from).iter().product::<u64>(),
        _ => return None,
    };
    Some(cells.saturating_mul(A_CELL))
}

/// The size at the beginning of a sentence about it: "512x512, or that of --load".
fn usual(text: &str) -> Option<[u32; 2]> {
    let (width, height) = text.split([',', ' ']).next()?.split_once('x')?;
    Some([width.parse().ok()?, height.parse().ok()?])
}

/// Rows, and bytes of an entry in the file, that count as one fetch: five diagonals take ten fetches for four rows, a full matrix one for
/// four entries of eight bytes or more.
const A_ROW: f64 = 2.5;
const BYTES: u64 = 32;

/// By the head and the length of the matrix' file. What is wrong with it is said where it is read.
fn of_system(arguments: &SolveArguments) -> Option<u64> {
    let length = regular(&arguments.matrix)?;
    let (rows, _) = mtx::look_at_matrix(&arguments.matrix).ok()?;
    Some(((rows as f64 * A_ROW) as u64).max(length / BYTES))
}

/// The bytes of a file that can be read twice.
fn regular(path: &Path) -> Option<u64> {
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|data| data.len())
}
