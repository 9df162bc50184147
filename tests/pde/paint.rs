//! The brush in a field of an equation: its kernel alone.

use quadrille::Result;

use crate::support::{Random, on_gpu};

const SIZE: [u32; 2] = [17, 11];

/// A brush at a place between nodes, on a node, and over an edge: round, square and soft, of any radius.
#[test]
fn paint_covers_the_tip_in_the_chosen_component_and_fades_where_it_is_soft() -> Result<()> {
    on_gpu(|gpu| {
        let mut random = Random(5);
        let before: Vec<f32> = (0..4 * SIZE[0] * SIZE[1]).map(|_| random.unit()).collect();
        let state = gpu.buffer(SIZE[0], SIZE[1]).components(4).init(&before)?;
        let after = gpu.buffer(SIZE[0], SIZE[1]).components(4).build()?;
        let mut program = gpu.builtin("pde/paint.frag")?;
        for centre in [[6.31f32, 4.63], [8.5, 5.5], [0.27, 10.71]] {
            for radius in [0.0f32, 0.85, 3.2] {
                for (square, soft) in [(0.0f32, 0.0f32), (1.0, 0.0), (0.0, 1.0)] {
                    program
                        .bind_stream("state", &state)?
                        .bind_float("centre", centre)?
                        .bind_float("radius", radius)?
                        .bind_float("square", square)?
                        .bind_float("soft", soft)?
                        .bind_float("paint", 2.5)?
                        .bind_float("chosen", [0.0, 0.0, 1.0, 0.0])?
                        .bind_domain("coords", after.rect())?
                        .run(&after)?;
                    let found = after.data()?;
                    for (i, (found, before)) in
                        found.as_chunks::<4>().0.iter().zip(before.as_chunks::<4>().0).enumerate()
                    {
                        let node = [i as u32 % SIZE[0], i as u32 / SIZE[0]];
                        let [x, y] = [0, 1].map(|n| f64::from(node[n]) + 0.5 - f64::from(centre[n]));
                        let squared =
                            if square == 1.0 { x.abs().max(y.abs()).powi(2) } else { x * x + y * y };
                        let rim = f64::from(radius) * f64::from(radius);
                        // A node that rounding may put on either side: none of these.
                        assert!(squared == rim || (squared - rim).abs() > 1e-4, "{node:?}");
                        let share = match (squared <= rim, soft == 1.0) {
                            (false, _) => 0.0,
                            (true, false) => 1.0,
                            (true, true) => (1.0 - squared / rim.max(1e-12)).powi(2),
                        };
                        let wanted = f64::from(before[2]) + share * (2.5 - f64::from(before[2]));
                        let brush = format!("{centre:?} {radius} {square} {soft} {node:?}: {found:?}");
                        // The distance is off by a rounding of numbers below 18, its share by three of its slope, at most 2 / r.
                        assert!((f64::from(found[2]) - wanted).abs() <= 3e-5, "{brush}, {wanted}");
                        assert_eq!(
                            [found[0], found[1], found[3]],
                            [before[0], before[1], before[3]],
                            "{brush}"
                        );
                    }
                }
            }
        }
        Ok(())
    })
}
