//! A table looked up by numbers of 0 to 1.

use quadrille::Result;

use super::{Field, Pixel, across, check};
use crate::support::on_gpu;

const TARGET: [u32; 2] = [13, 7];

#[test]
fn a_number_finds_its_element_row_after_row_and_those_beyond_the_ends_find_the_last() -> Result<()> {
    on_gpu(|gpu| {
        let mut program = gpu.builtin("view/looked_up.frag")?;
        for table_size in [[5, 3], [1, 11], [7, 1], [1, 1], [2, 5]] {
            let table: Field<1> = Field::random(table_size, 3, -1.0, 1.0);
            let sides = table_size.map(f64::from);
            let count = sides[0] * sides[1];
            // k / n, in an order of no kind; the ends and what lies beyond them among them. The second component is of no use.
            let numbers: Field<2> = Field::new(TARGET, |x, y| {
                let k = (x * 5 + y * 7) % (count as u32 + 5);
                [((f64::from(k) - 2.0) / count) as f32, 0.3]
            });
            let target = gpu.buffer(TARGET[0], TARGET[1]).build()?;
            program
                .bind_stream("numbers", &numbers.buffer(gpu)?)?
                .bind_stream("table", &table.buffer(gpu)?)?
                .bind_float("sides", sides.map(|x| x as f32))?
                .bind_domain("at", target.rect())?
                .run(&target)?;
            check(&format!("{table_size:?}"), &target.data()?, (0.0, 0.0), |_, i| {
                let [number, _] = numbers.at(across(TARGET, [0.0; 2], TARGET.map(f64::from), i));
                let index = (number * count).round().clamp(0.0, count - 1.0);
                Pixel::Is(table.at([index % sides[0], (index / sides[0]).floor()]))
            });
        }
        Ok(())
    })
}
