//! The dye that there is to be, and how much of it is there.

use anyhow::Result;
use quadrille::Gpu;
use quadrille::sim::fluid::{Fluid, MassCorrection};

/// The total of the dye of a fluid that does not keep it by itself; and only of a box that nothing flows into or out of.
#[derive(Default)]
pub struct DyeCorrection(Option<MassCorrection>);

/// Parts of what there is to be, of the colour that has lost or won most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lost {
    /// The part that is missing.
    pub left: f64,
    /// The part that would be.
    pub uncorrected: f64,
}

impl DyeCorrection {
    /// Begins with the dye that there is.
    pub fn begin(gpu: &Gpu, fluid: &Fluid) -> Result<DyeCorrection> {
        let needed = fluid.setting().sides.are_tight() && fluid.total().is_none();
        Ok(DyeCorrection(if needed { Some(MassCorrection::new(gpu, fluid.dye())?) } else { None }))
    }

    /// Lets somebody pour: what comes in is there to stay.
    pub fn pour(
        &mut self,
        fluid: &mut Fluid,
        pour: impl FnOnce(&mut Fluid) -> quadrille::Result<()>,
    ) -> Result<()> {
        if let Some(total) = &mut self.0 {
            total.before_pouring(fluid.dye())?;
        }
        pour(fluid)?;
        if let Some(total) = &mut self.0 {
            total.after_pouring(fluid.dye())?;
        }
        Ok(())
    }

    /// Fades what there is to be with the dye.
    pub fn fade(&mut self, fluid: &Fluid) -> Result<()> {
        match &mut self.0 {
            Some(total) => Ok(total.fade(fluid.parameters().remaining())?),
            None => Ok(()),
        }
    }

    /// The loss; `None` where nobody counts, or there is no dye.
    pub fn lost(&self, fluid: &Fluid) -> Result<Option<Lost>> {
        let Some(total) = fluid.total().or(self.0.as_ref()) else { return Ok(None) };
        let (kept, missing) = (total.kept()?, total.missing(fluid.dye())?);
        let put_back = if fluid.total().is_some() { total.lost()? } else { vec![0.0; kept.len()] };
        let part = |numbers: Vec<f32>| {
            let parts = kept.iter().zip(numbers).filter(|(kept, _)| **kept != 0.0);
            parts
                .map(|(&kept, lost)| f64::from(lost) / f64::from(kept))
                .max_by(|a, b| a.abs().total_cmp(&b.abs()))
        };
        let uncorrected = missing.iter().zip(put_back).map(|(missing, back)| missing + back).collect();
        Ok(part(missing).zip(part(uncorrected)).map(|(left, uncorrected)| Lost { left, uncorrected }))
    }
}
