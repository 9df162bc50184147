//! The wake of a cylinder: a velocity behind it over time, and how often vortices part.

use anyhow::Result;
use quadrille::Rect;
use quadrille::sim::fluid::Fluid;
use quadrille::sim::fluid::scenes::{CYLINDER, DIAMETER};

/// How far behind the middle of the cylinder the velocity across the stream is looked at, in diameters.
const BEHIND: f32 = 2.5;

/// Steps from one look to the next: a texel is read back, and a period has forty steps or more.
const EVERY: u64 = 2;

/// Looks that are kept.
const KEPT: usize = 2000;

/// Periods that are counted at most, and at least.
const MOST: usize = 8;
const LEAST: usize = 3;

/// The part by which periods may differ for a street that is in its stride.
const ALIKE: f64 = 0.06;

/// v on the middle line of the wake, over time.
#[derive(Default)]
pub struct Wake(Vec<[f64; 2]>);

impl Wake {
    /// Looks at the fluid of a street after a step, every second one. What went before another beginning is forgotten.
    pub fn look(&mut self, fluid: &Fluid) -> Result<()> {
        if !fluid.steps().is_multiple_of(EVERY) {
            return Ok(());
        }
        let (time, grid) = (fluid.time(), fluid.grid());
        if self.0.last().is_some_and(|last| last[0] >= time) {
            self.0.clear();
        }
        let [columns, rows] = grid.nodes();
        let element = |place: f32, count: u32| ((place / grid.spacing).round() as u32).min(count - 1);
        let (x, y) = (element(CYLINDER[0] + BEHIND * DIAMETER, columns), element(CYLINDER[1], rows));
        let velocity = fluid.velocity().data_of(Rect::new(x, y, x + 1, y + 1))?;
        if self.0.len() == KEPT {
            self.0.drain(..KEPT / 4);
        }
        self.0.push([time, f64::from(velocity.get(1).copied().unwrap_or(0.0))]);
        Ok(())
    }

    /// Time and v of all looks.
    pub fn looks(&self) -> &[[f64; 2]] {
        &self.0
    }

    /// f D/U, f how often v rises through 0, between looks by a straight line; `None` before some periods were alike, and where v is hardly
    /// anything.
    pub fn strouhal(&self) -> Option<f64> {
        let rises = |pair: &[[f64; 2]]| {
            let &[[t, v], [u, w]] = pair else { return None };
            (v < 0.0 && w >= 0.0).then(|| t + (u - t) * v / (v - w))
        };
        let times: Vec<f64> = self.0.windows(2).filter_map(rises).collect();
        let last = &times[times.len().saturating_sub(MOST + 1)..];
        let periods: Vec<f64> = last.windows(2).map(|pair| pair[1] - pair[0]).collect();
        // The newest that are alike.
        let newest = *periods.last()?;
        let alike = periods.iter().rev().take_while(|&&period| (period / newest - 1.0).abs() < ALIKE).count();
        let since = last.get(last.len().checked_sub(alike + 1)?).copied()?;
        let strongest =
            self.0.iter().filter(|look| look[0] > since).fold(0.0, |most: f64, look| most.max(look[1].abs()));
        let mean = (last.last()? - since) / alike as f64;
        (alike >= LEAST && strongest > 0.02).then(|| f64::from(DIAMETER) / mean)
    }
}

/// U D/ν; `None` without viscosity.
pub fn reynolds(viscosity: f32) -> Option<f64> {
    (viscosity > 0.0).then(|| f64::from(DIAMETER) / f64::from(viscosity))
}

/// The Strouhal number of a cylinder in a stream without walls, from Re = 47, where vortices begin to part, to 180: Williamson, *Defining a
/// universal and continuous Strouhal–Reynolds number relationship for the laminar vortex shedding of a circular cylinder*, 1988.
pub fn williamson(reynolds: f64) -> Option<f64> {
    (47.0..=180.0).contains(&reynolds).then(|| -3.3265 / reynolds + 0.1816 + 1.6e-4 * reynolds)
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use anyhow::{Result, anyhow};
    use quadrille::Gpu;

    use super::super::{ABOUT, FluidDemo};
    use super::*;
    use crate::demo::{Demo, Request, TestHost};

    #[test]
    fn a_wave_has_the_strouhal_number_of_its_period_once_there_are_three_of_it() {
        let wave = |looks: usize, strength: f64| {
            Wake(
                (0..looks)
                    .map(|k| [0.013 * k as f64, strength * (12.0 * 0.013 * k as f64 + 1.0).sin()])
                    .collect(),
            )
        };
        let exact = f64::from(DIAMETER) * 12.0 / std::f64::consts::TAU;
        let found = wave(400, 0.5).strouhal();
        assert!(found.is_some_and(|found| (found / exact - 1.0).abs() < 1e-3), "{found:?} {exact}");
        assert_eq!((wave(100, 0.5).strouhal(), wave(400, 0.01).strouhal()), (None, None));
        assert_eq!(Wake::default().strouhal(), None);
        assert!((williamson(150.0).unwrap_or(0.0) - 0.18342).abs() < 1e-4 && williamson(40.0).is_none());
    }

    /// A cylinder of seven cells, in a box ten diameters high, along whose sides the stream slips: it is squeezed past by a tenth, and a circle of
    /// cells is rougher than one. Both let vortices part more often than without walls, by a sixth at most at this size.
    #[test]
    fn vortices_part_about_as_often_as_in_experiments() -> Result<()> {
        let gpu = Gpu::headless()?;
        let values = ABOUT.values_of("scene=street&size=109x73").map_err(|line| anyhow!(line))?;
        let mut demo = FluidDemo::new(&gpu, &Rc::new(Request::new(values, Rc::new(TestHost::default()))))?;
        for _ in 0..420 {
            demo.step()?;
        }
        let (found, known) = (demo.wake.strouhal().unwrap_or(0.0), williamson(150.0).unwrap_or(0.0));
        assert!((found / known - 1.0).abs() < 1.0 / 6.0, "{found} {known}");
        demo.reset(1)?;
        assert!(demo.wake.looks().is_empty());
        Ok(())
    }
}
