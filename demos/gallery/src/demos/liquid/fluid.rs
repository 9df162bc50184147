//! Water or smoke.

use anyhow::{Result, bail};
use quadrille::Gpu;
use quadrille::linalg::Voxels;
use quadrille::sim::liquid::scenes::{dam, drops, fire};
use quadrille::sim::liquid::{Flow, Parameters, Smoke, State, Water};
use quadrille::solve::Outcome;
use quadrille::view::{Medium, Volume};
use serde_json::{Value as Json, json};

use super::start::Scene;

/// The fluid in the box.
pub enum Fluid {
    Water(Box<Water>),
    /// And what it is at least everywhere: its fire; and whether that is seen to glow.
    Smoke(Box<Smoke>, Vec<f32>, bool),
}

impl Fluid {
    pub fn new(gpu: &Gpu, scene: Scene, size: [u32; 3], seed: u64, parameters: Parameters) -> Result<Fluid> {
        // A size that no texture holds must not cost the memory of a scene.
        Voxels::new(size, gpu.limits().texture_size / 2)?;
        Ok(match scene {
            Scene::Dam => Fluid::Water(Box::new(Water::new(gpu, &dam(size, seed), parameters)?)),
            Scene::Drops => Fluid::Water(Box::new(Water::new(gpu, &drops(size, seed), parameters)?)),
            Scene::Smoke | Scene::Fire => {
                let start = fire(size, seed);
                let smoke = Smoke::new(gpu, &start, parameters)?;
                Fluid::Smoke(Box::new(smoke), start.source.unwrap_or_default(), scene == Scene::Fire)
            }
        })
    }

    pub fn step(&mut self) -> Result<()> {
        match self {
            Fluid::Water(water) => water.step()?,
            Fluid::Smoke(smoke, ..) => smoke.step()?,
        }
        let flow = self.flow();
        if flow.outcome().is_some_and(|outcome| !outcome.residual().is_finite()) {
            let step = flow.steps();
            bail!(
                "step {step} since the start: the divergence is no finite number, the state before was too wild"
            );
        }
        Ok(())
    }

    pub fn state(&self) -> Result<State> {
        Ok(match self {
            Fluid::Water(water) => water.state()?,
            Fluid::Smoke(smoke, ..) => smoke.state()?,
        })
    }

    pub fn set_state(&mut self, values: &[f32]) -> Result<()> {
        match self {
            Fluid::Water(water) => water.set_state(values)?,
            Fluid::Smoke(smoke, ..) => smoke.set_state(values)?,
        }
        Ok(())
    }

    pub fn volume(&self) -> Volume<'_> {
        match self {
            Fluid::Water(water) => Volume {
                voxels: water.flow().voxels(),
                field: water.distance(),
                matter: Medium::Water,
                heat: None,
            },
            Fluid::Smoke(smoke, _, glows) => {
                let heat = glows.then(|| smoke.warmth());
                Volume { voxels: smoke.flow().voxels(), field: smoke.density(), matter: Medium::Smoke, heat }
            }
        }
    }

    /// Pours a ball of it about a place in voxels.
    pub fn pour(&mut self, middle: [f64; 3], radius: f32) -> Result<()> {
        match self {
            Fluid::Water(water) => water.pour(middle, radius)?,
            Fluid::Smoke(smoke, ..) => smoke.pour(middle, radius)?,
        }
        Ok(())
    }

    /// The part that both have.
    pub fn flow(&self) -> &Flow {
        match self {
            Fluid::Water(water) => water.flow(),
            Fluid::Smoke(smoke, ..) => smoke.flow(),
        }
    }

    pub fn flow_mut(&mut self) -> &mut Flow {
        match self {
            Fluid::Water(water) => water.flow_mut(),
            Fluid::Smoke(smoke, ..) => smoke.flow_mut(),
        }
    }

    /// Voxels of water, and how much more or less that is than at first; of smoke, its density over all voxels.
    pub fn amount(&self) -> Result<(f64, Option<f64>)> {
        Ok(match self {
            Fluid::Water(water) => {
                let volume = water.volume()?;
                let first = water.volume_at_first();
                (volume, Some(if first > 0.0 { volume / first - 1.0 } else { volume }))
            }
            Fluid::Smoke(smoke, ..) => (smoke.mass()?, None),
        })
    }

    /// The findings of a report.
    pub fn findings(&self) -> Result<Json> {
        let ([time_step, time], (amount, change)) = (self.flow().times()?, self.amount()?);
        let outcome = self.flow().outcome();
        let mut findings = json!({
            "time": time, "steps_since_start": self.flow().steps(), "last_time_step": time_step,
            "divergence_left": outcome.map(Outcome::residual),
            "iterations": outcome.map(|outcome| outcome.iterations),
        });
        match change {
            Some(change) => {
                findings["volume"] = amount.into();
                findings["volume_change"] = change.into();
            }
            None => findings["mass"] = amount.into(),
        }
        Ok(findings)
    }
}
