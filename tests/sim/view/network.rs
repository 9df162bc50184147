//! The lines of a sorting network, without its wires.

use quadrille::Result;

use super::{Field, Pixel, check, coloured, palette, share};
use crate::support::on_gpu;

/// Columns and lines of the network, and pixels of each.
const COUNTS: [u32; 2] = [5, 7];
const CELL: [u32; 2] = [6, 10];

#[test]
fn a_line_has_the_colour_of_its_number_before_the_pass_of_the_column() -> Result<()> {
    on_gpu(|gpu| {
        let [columns, lines] = COUNTS;
        // The lines that are joined lie outside, so that there is no wire.
        let joined: Field<4> = Field::new([columns, 1], |x, _| [1.0, 9.0, 9.0, x as f32 + 1.0]);
        let history: Field<1> = Field::random([columns + 1, lines], 1, -1.5, 2.5);
        let palette = palette();
        let target = gpu.buffer(columns * CELL[0], lines * CELL[1]).components(4).build()?;
        gpu.builtin("view/network_draw.frag")?
            .bind_stream("columns", &joined.buffer(gpu)?)?
            .bind_stream("history", &history.buffer(gpu)?)?
            .bind_stream("palette", &palette.buffer(gpu)?)?
            .bind_float("cell", CELL.map(|side| side as f32))?
            .bind_float("low_high", [-1.0, 2.0])?
            .bind_float("done", 100.0)?
            .bind_float("there", lines as f32)?
            .bind_domain("at", target.rect())?
            .run(&target)?;
        let reds: Vec<f32> = target.data()?.chunks_exact(4).map(|pixel| pixel[0]).collect();
        check("red", &reds, (0.0, 0.05), |run, i| {
            let [x, y] = [i as u32 % target.width(), i as u32 / target.width()];
            let from_middle = (f64::from(y % CELL[1]) + 0.5) / 10.0 - 0.5;
            if from_middle.abs() > 0.3 {
                return Pixel::Is([f64::from(0.05_f32)]);
            }
            let [number] = history.at([f64::from(x / CELL[0]), f64::from(y / CELL[1])]);
            let share = run.of(share(number, [-1.0, 2.0], false), 1e-6);
            Pixel::Is([coloured(&palette, share)[0]])
        });
        Ok(())
    })
}
