//! The ways against each other, whatever the screen's pace is.

use anyhow::Result;
use quadrille::sim::Heat;
use quadrille::sim::heat::Flow;
use quadrille::{Gpu, Rect};

use crate::demo::Host;
use crate::rate::rate;

/// Steps a second of each way, on a copy of the plate as it is now.
pub fn race(gpu: &Gpu, host: &dyn Host, heat: &Heat) -> Result<[f64; Flow::ALL.len()]> {
    let (width, height, parameters, state) = (heat.width(), heat.height(), heat.parameters(), heat.state()?);
    let mut rates = [0.0; Flow::ALL.len()];
    for (found, flow) in rates.iter_mut().zip(Flow::ALL) {
        let mut heat = Heat::from_state(gpu, width, height, parameters, flow, &state)?;
        *found = rate(host, |steps| run(&mut heat, steps))?;
    }
    Ok(rates)
}

/// The fastest way, and its steps a second.
#[cfg(feature = "panel")]
pub fn fastest(rates: [f64; Flow::ALL.len()]) -> (Flow, f64) {
    let most = |best: (Flow, f64), next: (Flow, f64)| if next.1 > best.1 { next } else { best };
    Flow::ALL.into_iter().zip(rates).fold((Flow::ALL[0], f64::MIN_POSITIVE), most)
}

/// Runs steps, and waits for the last by reading a texel back.
fn run(heat: &mut Heat, steps: u32) -> Result<()> {
    (0..steps).try_for_each(|_| heat.step())?;
    heat.temperature().data_of(Rect::whole(1, 1))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use quadrille::sim::heat::Parameters;

    use super::*;
    use crate::demo::TestHost;

    #[test]
    fn every_way_runs_and_the_plate_stays_as_it_is() -> Result<()> {
        let gpu = Gpu::headless()?;
        let heat = Heat::new(&gpu, 48, 40, Parameters::default(), Flow::Masks, 1)?;
        let before = heat.state()?;
        assert!(race(&gpu, &TestHost::default(), &heat)?.iter().all(|rate| rate.is_finite() && *rate > 0.0));
        assert!(heat.state()? == before && heat.steps() == 0);
        Ok(())
    }
}
