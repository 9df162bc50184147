//! Waves that leave: the factors of the strip along the sides, and water without an end beside it.

use quadrille::Result;
use quadrille::linalg::BoundaryCondition;
use quadrille::sim::wave::{Parameters, Wave};

use super::{EPSILON, explicit, implicit, largest, layers, rough};
use crate::support::on_gpu;

/// exp(−0.3 √β s²), s = 1 − d/w, of a cell that lies d from the nearest side.
fn factor(x: usize, y: usize, [width, height]: [usize; 2], beta: f64) -> f64 {
    let strip = (width.min(height) as f64 / 8.0).min(40.0);
    let side = [x, y, width - 1 - x, height - 1 - y].into_iter().min().unwrap_or(0);
    let depth = (1.0 - (side as f64 + 0.5) / strip).max(0.0);
    (-0.3 * beta.sqrt() * depth * depth).exp()
}

/// A factor has four roundings of an exponent below 3 and one of its exponential; the product has one more.
#[test]
fn a_step_is_that_between_fixed_edges_times_the_factors_of_the_strip() -> Result<()> {
    on_gpu(|gpu| {
        for (width, height) in [(1, 1), (9, 40), (63, 65), (128, 67)] {
            for plain in
                [explicit(0.45, BoundaryCondition::Dirichlet), implicit(20.0, BoundaryCondition::Dirichlet)]
            {
                let state = rough(width, height);
                let mut walled = Wave::from_state(gpu, width, height, plain, &state)?;
                let open = Parameters { absorbing: true, ..plain };
                let mut leaving = Wave::from_state(gpu, width, height, open, &state)?;
                walled.step()?;
                leaving.step()?;
                let (expected, found) = (layers(&walled.state()?), layers(&leaving.state()?));
                let (size, beta) = ([width as usize, height as usize], f64::from(plain.beta));
                for (expected, found) in expected.iter().zip(&found) {
                    for (i, (expected, found)) in expected.iter().zip(found).enumerate() {
                        let exact = expected * factor(i % size[0], i / size[0], size, beta);
                        let off = (found - exact).abs();
                        assert!(
                            off <= 16.0 * EPSILON * exact.abs(),
                            "{plain:?}, {size:?}, {i}: {found}, {exact}"
                        );
                    }
                }
            }
        }
        Ok(())
    })
}

/// A drop in 200 x 200 cells, whose strip is 25 wide, beside one in water so large that nothing comes back in that time. What comes back
/// from the sides has been in the strip twice, and fades to e^(-0.2 25), 0.7 %, where it goes straight in; slanted it has a longer way.
/// The rise of the factors sends back less.
#[test]
fn a_drop_leaves_as_if_the_water_had_no_end() -> Result<()> {
    on_gpu(|gpu| {
        let (near, far) = (200, 600);
        let begin = |side: u32, absorbing| -> Result<Wave> {
            let still = vec![0.0; 2 * (side * side) as usize];
            let parameters = Parameters { absorbing, ..Parameters::default() };
            let mut wave = Wave::from_state(gpu, side, side, parameters, &still)?;
            wave.drop(side as f32 / 2.0, side as f32 / 2.0, 8.0, 1.0)?;
            Ok(wave)
        };
        let mut waves = [begin(far, false)?, begin(near, true)?, begin(near, false)?];
        for _ in 0..280 {
            waves.iter_mut().try_for_each(Wave::step)?;
        }
        // The heights beside the strips.
        let inside = |wave: &Wave| -> Result<Vec<f64>> {
            let [heights, _] = layers(&wave.state()?);
            let (side, inner) = (wave.width(), near - 50);
            let from = (side - inner) / 2;
            let row = |y: u32| heights[((from + y) * side + from) as usize..][..inner as usize].to_vec();
            Ok((0..inner).flat_map(row).collect())
        };
        let [endless, leaving, kept] = [inside(&waves[0])?, inside(&waves[1])?, inside(&waves[2])?];
        let miss = |found: &[f64]| {
            largest(&found.iter().zip(&endless).map(|(found, exact)| found - exact).collect::<Vec<_>>())
        };
        let (open, walled) = (miss(&leaving), miss(&kept));
        assert!(open < 0.007 * walled, "{open} of {walled}");
        Ok(())
    })
}
