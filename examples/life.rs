//! Ping-pong: Conway's Game of Life on a torus; a glider returns to its shape, one cell down and one to the right.

use quadrille::{Edges, Gpu};

const KERNEL: &str = "
    uniform Stream cells;
    DOMAIN here;
    RANGE float next;
    void main() {
        float around = -value2(cells, here).x;
        for (float y = -1.0; y <= 1.0; y += 1.0)
            for (float x = -1.0; x <= 1.0; x += 1.0) around += value2(cells, here + vec2(x, y)).x;
        next = float(around == 3.0 || (around == 2.0 && value2(cells, here).x == 1.0));
    }";

fn picture(cells: &[f32]) -> String {
    let row =
        |row: &[f32]| row.iter().map(|cell| if *cell == 1.0 { '#' } else { '.' }).collect::<String>() + "\n";
    cells.chunks(8).map(row).collect()
}

pub fn main() -> quadrille::Result<()> {
    let gpu = Gpu::headless()?;
    let glider = |left: usize, top: usize| {
        let mut cells = vec![0.0; 64];
        for (x, y) in [(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)] {
            cells[(top + y) % 8 * 8 + (left + x) % 8] = 1.0;
        }
        cells
    };
    let mut cells = gpu.buffer(8, 8).edges(Edges::Repeat).double().init(&glider(5, 5))?;
    let mut life = gpu.program("life", KERNEL)?;
    for _ in 0..4 {
        life.bind_stream("cells", cells.front())?.run(cells.back())?;
        cells.swap();
    }
    println!("{}", picture(&cells.data()?));
    assert_eq!(cells.data()?, glider(6, 6));
    Ok(())
}
