//! The ways against each other, whatever the screen's pace is.

use std::time::{Duration, Instant};

use anyhow::Result;
use quadrille::sim::Heat;
use quadrille::sim::heat::Flow;
use quadrille::{Gpu, Rect};

/// About how long each of them runs: long beside a wait for the GPU, short for whoever looks on.
const LAP: Duration = Duration::from_millis(60);

/// Steps a second of each way, on a copy of the plate as it is now.
pub fn race(gpu: &Gpu, heat: &Heat) -> Result<[f64; Flow::ALL.len()]> {
    let (width, height, parameters, state) = (heat.width(), heat.height(), heat.parameters(), heat.state()?);
    let mut rates = [0.0; Flow::ALL.len()];
    for (rate, flow) in rates.iter_mut().zip(Flow::ALL) {
        *rate = lap(&mut Heat::from_state(gpu, width, height, parameters, flow, &state)?)?;
    }
    Ok(rates)
}

/// Twice as many steps as before, until they take long enough to be timed.
fn lap(heat: &mut Heat) -> Result<f64> {
    // The first makes the masks, and some drivers finish a kernel when it first runs.
    run(heat, 2)?;
    let mut steps = 1;
    loop {
        let clock = Instant::now();
        run(heat, steps)?;
        let time = clock.elapsed();
        if time >= LAP {
            return Ok(f64::from(steps) / time.as_secs_f64());
        }
        steps *= 2;
    }
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

    #[test]
    fn every_way_runs_and_the_plate_stays_as_it_is() -> Result<()> {
        let gpu = Gpu::headless()?;
        let heat = Heat::new(&gpu, 48, 40, Parameters::default(), Flow::Masks, 1)?;
        let before = heat.state()?;
        assert!(race(&gpu, &heat)?.iter().all(|rate| rate.is_finite() && *rate > 0.0));
        assert!(heat.state()? == before && heat.steps() == 0);
        Ok(())
    }
}
