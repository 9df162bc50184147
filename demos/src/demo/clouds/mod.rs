//! Clouds over a warm ground (row C12): the running example of chapter 31.

mod check;
mod panel;
mod start;

use anyhow::Result;
use quadrille::Gpu;
use quadrille::sim::clouds::{Clouds, Parameters, STATE, Scene, Setting};
use quadrille::view::Overcast;
use serde_json::{Value, json};

use self::panel::Told;
use super::shown::{Shown, Touch};
use super::{Measure, Simulation, short};
use crate::files::Array;

pub use start::chosen;

pub const NAME: &str = "clouds";

/// What the mouse gives the air under its middle for each time that it is seen there: K, and kg/kg.
const TOUCH: [f32; 2] = [0.25, 5e-4];

/// Seconds until there are heaps with flat bases, and towers, before they mix with the air around them.
const WHOLE_RUN: f32 = 1600.0;

struct Day {
    gpu: Gpu,
    clouds: Clouds,
    scene: Scene,
    seed: u64,
    /// A state from a file, which a reset of that seed brings back.
    loaded: Option<Vec<f32>>,
    loaded_seed: u64,
    /// The mouse has warmed the air.
    touched: bool,
    /// What the panel tells.
    told: Option<Told>,
}

impl Day {
    /// The same box on a day of another kind.
    fn set_scene(&mut self, scene: Scene) -> Result<()> {
        let (setting, parameters) = scene.start();
        let (old, now) = (*self.clouds.setting(), self.clouds.parameters());
        let setting = Setting { air: setting.air, ..old };
        let parameters = Parameters { heat: parameters.heat, evaporation: parameters.evaporation, ..now };
        self.clouds = Clouds::new(&self.gpu, setting, parameters, self.seed)?;
        // What was loaded was another one.
        (self.scene, self.loaded, self.touched) = (scene, None, false);
        Ok(())
    }
}

impl Simulation for Day {
    fn name(&self) -> &'static str {
        NAME
    }

    fn size(&self) -> (String, &'static str) {
        let [width, height] = self.clouds.setting().cells;
        (format!("{width}x{height}"), "cells")
    }

    fn parameters(&self) -> Value {
        let (p, setting) = (self.clouds.parameters(), self.clouds.setting());
        let air = setting.air;
        json!({
            "scene": self.scene.name(), "spacing": short(setting.spacing), "walls": !setting.periodic,
            "time_step": short(p.time_step), "wind": short(p.wind), "heat": short(p.heat),
            "evaporation": p.evaporation.map(short), "confinement": short(p.confinement),
            "temperature": air.temperature, "humidity": air.humidity, "lapse": air.lapse,
            "advection": p.advection.name(), "pressure": p.pressure.name(), "keeps_water": p.keep_water,
        })
    }

    fn state(&self) -> Result<Array> {
        let [columns, rows] = self.clouds.setting().grid().nodes().map(|n| n as usize);
        Ok(Array { height: STATE * rows, width: columns, components: 1, values: self.clouds.state()? })
    }

    fn reset(&mut self, seed: u64) -> Result<()> {
        (self.seed, self.touched) = (seed, false);
        self.clouds.reset(seed)?;
        match &self.loaded {
            Some(state) if self.loaded_seed == seed => Ok(self.clouds.set_state(state)?),
            _ => Ok(()),
        }
    }

    fn step(&mut self) -> Result<()> {
        Ok(self.clouds.step()?)
    }

    fn whole_run(&self) -> u64 {
        (WHOLE_RUN / self.clouds.parameters().time_step).round().clamp(1.0, 1e5) as u64
    }

    fn looks(&self) -> u64 {
        20
    }

    fn pace(&self) -> u64 {
        2
    }

    fn check(&self, _before: &Array) -> Result<Vec<Measure>> {
        check::measures(self)
    }

    fn findings(&self) -> Result<Value> {
        check::findings(&self.clouds)
    }

    fn remarks(&self) -> Result<Vec<String>> {
        check::remarks(&self.clouds)
    }

    fn shown(&self) -> Result<Shown<'_>> {
        Ok(Shown::Sky(Overcast { grid: self.clouds.setting().grid(), air: self.clouds.air() }))
    }

    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        self.widgets(ui)
    }

    fn is_touchable(&self) -> bool {
        true
    }

    /// Warms and moistens the air there. Rows of the picture are counted from its top.
    fn touch(&mut self, touch: Touch) -> Result<()> {
        if let Touch::Cell { x, y, radius, .. } = touch {
            let up = self.clouds.setting().cells[1] as f32 - y;
            self.clouds.warm([x, up], radius, TOUCH)?;
            self.touched = true;
        }
        Ok(())
    }
}
